// The emulator in a page of a real browser: the same bytes as in this process.
// oxlint-disable unicorn/prefer-add-event-listener -- clients use the handlers too.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { spawnSync } from 'node:child_process'
import * as flowdouble from 'flowdouble/browser'
import { expect, test } from 'vitest'
import { bundled } from '../support/built.ts'
import { folder } from '../support/folder.ts'
import { startProcess } from '../support/spawned.ts'
import { expectSame } from '../support/same.ts'

const workflow = readFileSync(
  join(import.meta.dirname, '../../recordings/workflows/text-to-image.json'),
  'utf8',
)

/**
 * A session with an emulator behind fetch and WebSocket: what a client receives, a line each. It runs in a page as it is
 * written, and so uses nothing from outside.
 */
async function session(
  { createEmulator, install }: typeof flowdouble,
  prompt: string,
): Promise<readonly string[]> {
  const lines: string[] = []
  const hash = async (bytes: ArrayBuffer): Promise<string> => {
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  }
  const url = 'http://127.0.0.1:8188'
  const emulator = await createEmulator({ url, clock: 'manual', preview: 'jpeg' })
  const uninstall = install(emulator)
  const socket = new emulator.WebSocket('/ws?clientId=page')
  socket.binaryType = 'arraybuffer'
  const received: (string | ArrayBuffer)[] = []
  socket.onmessage = ({ data }) => received.push(data as string | ArrayBuffer)
  socket.onclose = ({ code }) => received.push(`closed ${code}`)
  const get = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(url + path, init)
    const bytes = await response.clone().arrayBuffer()
    lines.push(`${path} ${response.status} ${bytes.byteLength} ${await hash(bytes)}`)
    return response
  }
  await get('/object_info')
  const form = new FormData()
  form.set('image', new Blob([Uint8Array.of(0, 255, 10)]), 'my.bin')
  await get('/upload/image', { method: 'POST', body: form })
  const body = JSON.stringify({ prompt: JSON.parse(prompt), client_id: 'page' })
  const submitted = (await (await get('/prompt', { method: 'POST', body })).json()) as {
    prompt_id: string
  }
  await emulator.until('idle')
  const history = await (await get(`/history/${submitted.prompt_id}`)).text()
  const [, filename = ''] = /"filename": ?"([^"]+)"/.exec(history) ?? []
  await get(`/view?filename=${filename}`)
  await get(`/view?filename=${filename}`, { headers: { Range: 'bytes=10-19' } })
  await get('/view?filename=my.bin&type=input')
  await get('/_flowdouble/runs')
  await emulator.close()
  uninstall()
  for (const data of received)
    lines.push(typeof data === 'string' ? data : `${data.byteLength} ${await hash(data)}`)
  return lines
}

const script = `
  import * as flowdouble from '/browser.js'
  const report = (lines) => fetch('/report', { method: 'POST', body: JSON.stringify(lines) })
  ;(${session.toString()})(flowdouble, ${JSON.stringify(workflow)})
    .then(report, (error) => report([String(error?.stack ?? error)]))`

/** Serves the page and the bundle. The lines that the page reports arrive as the event \`report\`. */
function createPages(): Server {
  const server = createServer((request, response) => {
    const name = basename(request.url ?? '/')
    if (name === 'report') {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        response.end()
        server.emit('report', JSON.parse(Buffer.concat(chunks).toString()))
      })
    } else if (name.endsWith('.js')) {
      response.setHeader('Content-Type', 'text/javascript')
      response.end(readFileSync(join(dirname(bundled('browser')), name)))
    } else {
      response.setHeader('Content-Type', 'text/html')
      response.end(`<!doctype html><script type="module">${script}</script>`)
    }
  })
  return server
}

const isInstalled = spawnSync('chromium', ['--version']).status === 0

test('browser/same-bytes A page in Chromium receives what this process does.', async ({ skip }) => {
  skip(!isInstalled, 'The command chromium is not installed.')
  const expected = await session(flowdouble, workflow)
  expect(expected.length).toBeGreaterThan(30)
  const pages = createPages().listen(0, '127.0.0.1')
  await once(pages, 'listening')
  const url = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`
  const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder()}`]
  const browser = startProcess('chromium', [...flags, url])
  try {
    const [lines] = (await once(pages, 'report')) as [readonly string[]]
    expectSame('The session', lines, expected)
  } finally {
    browser.process.kill()
    await browser.ends
    pages.closeAllConnections()
    pages.close()
  }
})
