// The command `replay --upstream`: what becomes of the file, without secrets, whole or not at all; and a server that is gone.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'vitest'
import { WebSocket } from 'ws'
import { readRecording, replayCommand } from '../../../dist/emulator/internal.js'
import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { folder } from '../../support/folder.ts'
import { listening } from '../../support/for-test.ts'
import { type Output, outputOf, refusals, titled } from '../../support/in-process.ts'
import { inFront, run, sessionOf, targets, worldOf } from '../../support/recordings/in-front.ts'
import { startEcho } from '../../support/servers/echo-server.ts'

test('replay/upstream-new A file that does not exist yet is a recording of the server afterwards', async () => {
  const server = await worldOf('2')
  const file = join(folder(), 'new.har')
  await inFront(file, server.url, async (url) => {
    await run(url, solid(1))
    expect((await fetch(`${url}/system_stats`)).status).toBe(200)
  })
  const { info, exchanges, sockets } = readRecording(readFileSync(file), file)
  expect(info).toMatchObject({ place: 'local', software: expect.stringContaining('ComfyUI') })
  expect([exchanges.length, sockets.length]).toEqual([4, 1])
})

const places = {
  local: ['/embeddings', /^502: flowdouble gets no response from http:.* \(ECONNREFUSED\)/],
  hosted: ['/api/queue', /^\{"code":"BAD_GATEWAY","message":"flowdouble gets no response/],
  v2: ['/api/v2/jobs', /^\{"error":\{"code":"upstream_error","message":"flowdouble gets no/],
  gateway: ['/health', /^\{"error":"flowdouble gets no response/],
} as const

for (const [place, [path, says]] of Object.entries(places))
  test(`replay/upstream-dead Without the server behind, requests get 502 in the manner of ${place}, and a line each`, async () => {
    const file = join(folder(), 'new.har')
    const gone = await listening(createServer())
    await gone.close()
    const deployment = place === 'v2' ? 'hosted' : place
    const { stdout, stderr } = await inFront(
      file,
      gone.url,
      async (url) => {
        const reply = await fetch(url + path)
        expect([reply.status, await reply.text()]).toEqual([502, expect.stringMatching(says)])
      },
      '--deployment',
      deployment,
    )
    expect(stderr).toMatch(new RegExp(`^flowdouble: 502 to GET ${path}: [^\n]*\n$`))
    expect(stdout).not.toContain('Added')
    expect([existsSync(file), existsSync(`${file}.added`)]).toEqual([false, false])
  })

test('replay/upstream-dead A submit that cannot be forwarded says so in one line, and its socket goes on', async () => {
  const { file } = await sessionOf('1')
  const gone = await listening(createServer())
  await gone.close()
  const { stderr } = await inFront(file, gone.url, async (url) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?clientId=me`)
    await once(socket, 'open')
    const body = JSON.stringify({ prompt: solid(9), client_id: 'me' })
    expect((await fetch(`${url}/prompt`, { method: 'POST', body })).status).toBe(502)
    expect(socket.readyState).toBe(WebSocket.OPEN)
    socket.terminate()
  })
  expect(stderr).toMatch(/^flowdouble: 502 to POST \/prompt: [^\n]*\n$/)
})

test('replay/upstream-secrets A secret that nothing reveals keeps the file as it is, and the next replay can add the rest', async () => {
  const random = 'q7Zr0xP4mWv9LsT2bHy6NcD8'
  const { file } = await sessionOf('1')
  const before = readFileSync(file, 'utf8')
  const server = await startEcho({
    answer: (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ echo: `of-the-client-${random}` }))
    },
  })
  const ask = async (url: string): Promise<void> => {
    const headers = { authorization: `Bearer of-the-client-${random}` }
    await (await fetch(`${url}/models`, { headers })).text()
  }
  const first = await inFront(file, server.url, ask)
  expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('Added')])
  expect(readFileSync(file, 'utf8')).not.toContain(random)
  const after = readFileSync(file, 'utf8')
  const doubtful = await startEcho({
    answer: (_, response) => response.end(JSON.stringify({ team_key: random })),
  })
  const second = await inFront(file, doubtful.url, async (url) => {
    await (await fetch(`${url}/features`)).text()
  })
  expect([second.code, second.stderr]).toEqual([
    1,
    expect.stringMatching(
      /is not written: .*\n.*\n.*--redact NAME[^]*flowdouble replay .*--upstream/,
    ),
  ])
  expect(second.stderr).not.toContain(random)
  expect([readFileSync(file, 'utf8') === after, existsSync(`${file}.added`)]).toEqual([true, true])
  const third = await inFront(file, server.url, async () => undefined, '--redact', 'team_key')
  expect(third.stderr).toMatch(/added what an earlier replay has left: 1 exchange/)
  expect(readFileSync(file, 'utf8')).not.toContain(random)
  expect(targets(file).length).toBe(targetsIn(before) + 2)
})

const targetsIn = (text: string): number => readRecording(text, 'before').exchanges.length

test('replay/upstream-cors With --cors, pages may read what the server behind answers', async () => {
  const server = await startEcho()
  const file = join(folder(), 'new.har')
  const origin = 'http://page.example'
  await inFront(
    file,
    server.url,
    async (url) => {
      const preflight = await fetch(`${url}/models`, { method: 'OPTIONS', headers: { origin } })
      const reply = await fetch(`${url}/models`, { headers: { origin } })
      const allowed = [preflight, reply].map(({ status, headers }) => [
        status,
        headers.get('access-control-allow-origin'),
      ])
      expect(allowed).toEqual([
        [200, origin],
        [200, origin],
      ])
    },
    '--cors',
    origin,
  )
  expect(server.arrived.map(({ method }) => method)).toEqual(['GET'])
})

test('replay/upstream-foreign A file of another tool keeps what only that tool writes', async () => {
  const request = { method: 'GET', url: 'http://server:8188/samplers' }
  const response = { status: 200, content: { mimeType: 'application/json', text: '["euler"]' } }
  const entry = { startedDateTime: '2026-01-01T00:00:00Z', request, response, _mine: { a: 1 } }
  const file = join(folder(), 'foreign.har')
  const pages = [{ id: 'page_1', title: 'a page' }]
  writeFileSync(file, JSON.stringify({ log: { version: '1.2', pages, entries: [entry] } }))
  const server = await worldOf('2')
  await inFront(file, server.url, async (url) => {
    expect(await (await fetch(`${url}/samplers`)).json()).toEqual(['euler'])
    expect((await fetch(`${url}/models`)).status).toBe(200)
  })
  const { log } = JSON.parse(readFileSync(file, 'utf8'))
  expect([log.pages, log.entries[0]]).toEqual([pages, entry])
  // The recording stays that of one server.
  expect(log.entries[1].request.url).toBe('http://server:8188/models')
})

const usage = async (...argv: readonly string[]): Promise<Output> => {
  const dir = folder()
  writeFileSync(join(dir, 'a.part'), '{"flowdouble":"recording 1","info":{}}\n')
  return outputOf(replayCommand, argv, { cwd: dir })
}

refusals(
  usage,
  titled('replay/upstream-usage', [
    [['a.har', '--redact', 'a'], /--redact needs --upstream/],
    [['a.har', '--header', 'a: b'], /--header needs --upstream/],
    [['a.har', '--upstream', 'server'], /--upstream needs a URL that begins with http/],
    [['a.har', '--upstream', 'http://a/?b'], /--upstream needs a URL without query/],
    [['a.har', '--upstream', 'http://a', '--deployment', 'b'], /--deployment is local/],
    [['a.part', '--upstream', 'http://a'], /did not end. Finish it with: flowdouble record --from/],
    [['none/a.har', '--upstream', 'http://a'], /Cannot write beside a\.har/],
  ]),
)
