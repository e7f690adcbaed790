// A server that has the Router and the proxy to partners, and no workflow server beside them: that alone is judged.

import { createServer, type ServerResponse } from 'node:http'
import { test } from 'vitest'
import { startEmulator } from 'flowdouble'
import { probe } from '../../../check/probe/probe.ts'
import { start } from '../../../support/spawned.ts'
import { expect } from '../../../judge/expect.ts'
import { forTest, listening } from '../../../support/for-test.ts'

/** Answers as another address does. */
async function answer(to: string, init: RequestInit, response: ServerResponse): Promise<void> {
  const reply = await fetch(to, init)
  const bytes = Buffer.from(await reply.arrayBuffer())
  response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(bytes)
}

/** An address at which only the paths without a prefix of an emulator are. */
async function routerAlone(): Promise<string> {
  const { url } = await forTest(startEmulator({ deployment: 'hosted', clock: 'instant' }))
  const server = createServer((incoming, response) => {
    const { method = 'GET', headers } = incoming
    const isRouted = /^\/(v2\/models|proxy|customers|health)/.test(incoming.url ?? '')
    const path = isRouted ? incoming.url : '/nowhere'
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { host: _, connection: __, ...kept } = headers
      const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }
      void answer(
        url + path,
        { method, headers: kept as Record<string, string>, ...body },
        response,
      )
    })
  })
  return (await listening(server)).url
}

test('check/router-alone The areas of the Router and of partners are judged, and no paid call is made.', async () => {
  const url = await routerAlone()
  const asked = { url, headers: {}, key: 'test-key', allow: [], isReadOnly: true, maxRuns: 1 }
  expect(await probe(asked)).toMatchObject({ deployment: 'hosted', apis: ['router', 'partner'] })
  const { code, stdout } = await start('check', url, '--key', 'test-key', '--json').ends
  expect(code).toBe(0)
  const verdicts = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'case')
  const areas = new Set(
    verdicts.flatMap(({ rules }) => rules.map(({ id }: { id: string }) => id.split('/')[0])),
  )
  expect([...areas].every((area) => /^(router|partner|scenario)/.test(area))).toBe(true)
  expect(verdicts.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  const passed = verdicts.filter(({ verdict }) => verdict === 'pass')
  const judged = new Set(passed.map(({ area }) => area))
  expect([...judged]).toEqual(expect.arrayContaining(['router', 'router-runs', 'partner']))
})
