// What the page of the inspector shows of a session, read from the elements that its script makes.

import { once } from 'node:events'
import { startEmulator } from 'flowdouble'
import { test } from 'vitest'
import { WebSocket } from 'ws'
import { failing, solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { openFakePage } from '../../support/fake-page.ts'

/** Submits a workflow, and returns the answer. */
async function postPrompt(url: string, prompt: object, fields: object = {}) {
  const body = JSON.stringify({ prompt, ...fields })
  const reply = await fetch(`${url}/prompt`, { method: 'POST', body })
  return (await reply.json()) as Readonly<Record<string, unknown>>
}

/** Opens the socket of a client. Returns what closes it. */
async function openSocket(url: string, client: string): Promise<() => void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?clientId=${client}`)
  await once(socket, 'open')
  return () => socket.terminate()
}

test('inspector/cut-journal A page that is opened late shows true numbers, failed runs, refusals and open sockets', async () => {
  const server = await startEmulator({ clock: 'instant', seed: '7' })
  const close = await openSocket(server.url, 'early')
  await postPrompt(server.url, { '1': { class_type: 'NoSuchNode', inputs: {} } })
  await postPrompt(server.url, failing('ValueError', 'made to fail'))
  for (let run = 2; run <= 400; run++) await postPrompt(server.url, solid())
  const page = await openFakePage(server.url)
  await page.drawn()
  const texts = page.texts()
  expect(texts).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^\d+ of 401$/),
      'early',
      'Run 1',
      'Run 400',
      expect.stringMatching(/^Run 1 failed in .*: ValueError: made to fail$/),
      expect.stringMatching(/^POST \/prompt → 400: /),
      expect.stringMatching(/^Before entry \d+ the server keeps only /),
    ]),
  )
  expect(texts).not.toContain('Run 401')
  // What follows has the next number.
  await postPrompt(server.url, solid())
  await page.shows('Run 401')
  page.close()
  close()
  await server.close()
})
