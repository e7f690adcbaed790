// The command `replay`: recorded sessions of a real server run to their files, and what the recording does not hold is named.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startReplay } from 'flowdouble'
import { test } from 'vitest'
import { replayCommand, runWorkflow } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import {
  readSession,
  realSessions,
  sessionFile,
  sessionText,
} from '../../support/recordings/real-sessions.ts'
import { start } from '../../support/spawned.ts'
import { folder } from '../../support/folder.ts'
import {
  type CommandRow,
  commandRows,
  type Output,
  outputOf,
  refusals,
  titled,
} from '../../support/in-process.ts'
import { forTest } from '../../support/for-test.ts'

const [first] = realSessions

/** The recorded submits of a session. */
const submitsOf = (name: string): readonly any[] =>
  readSession(name)
    .exchanges.filter(({ method, url }) => method === 'POST' && url.endsWith('/prompt'))
    .map(({ body }) => JSON.parse(Buffer.from(body).toString()) as unknown)

/** The files that the client of a session downloaded, by name. */
const filesOf = (name: string): ReadonlyMap<string, Buffer> =>
  new Map(
    readSession(name).exchanges.flatMap(({ url, response }) => {
      const filename = new URL(url).searchParams.get('filename')
      return filename === null ? [] : [[filename, Buffer.from(response?.body ?? [])] as const]
    }),
  )

for (const name of realSessions)
  test(`replay/run flowdouble run of the first workflow of ${name} against its replay writes the recorded files`, async () => {
    const place = folder()
    const workflowPath = join(place, 'workflow.json')
    writeFileSync(workflowPath, JSON.stringify(submitsOf(name)[0].prompt))
    const replay = await forTest(startReplay({ recording: sessionFile(name), clock: 'instant' }))
    const outDir = join(place, 'out')
    const result = await runWorkflow({ url: replay.url, workflowPath, outDir })
    expect([result.error, result.outcome]).toEqual([undefined, 'success'])
    const recorded = filesOf(name)
    const written = result.files.filter(({ filename }) => recorded.has(filename))
    for (const { path, filename } of written)
      expect(readFileSync(path)).toEqual(recorded.get(filename))
    expect(written.length).toBe(recorded.size)
    expect(result.files.every(({ path }) => existsSync(path))).toBe(true)
    expect(result.texts.length).toBe(name.startsWith('texts') ? 3 : 0)
  })

test('replay/samples A file that a run made and nobody downloaded is a small sample that says so', async () => {
  const replay = await forTest(startReplay({ recording: sessionFile(first), clock: 'instant' }))
  const sample = await fetch(`${replay.url}/view?filename=f_00002_.png&subfolder=frames`)
  expect([sample.status, sample.headers.get('x-flowdouble-replay')]).toEqual([200, 'sample'])
  expect(
    Buffer.from(await sample.arrayBuffer())
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG')
  expect((await fetch(`${replay.url}/view?filename=other.png`)).status).toBe(404)
})

test('replay/unmatched A request that was not recorded gets 404 with the nearest one and what differs, and is printed', async () => {
  const command = start('replay', sessionFile(first), '--port', '0', '--json')
  const { url } = JSON.parse(await command.says(/\n/)) as { url: string }
  const [submit] = submitsOf(first)
  submit.prompt.a.inputs.color = 7
  const body = JSON.stringify({ ...submit, client_id: 'another' })
  const reply = await fetch(`${url}/prompt`, { method: 'POST', body })
  expect([reply.status, reply.headers.get('x-flowdouble-replay')]).toEqual([404, 'unmatched'])
  const { error, nearest } = (await reply.json()) as { error: string; nearest: object }
  expect(nearest).toEqual({
    entry: 1,
    method: 'POST',
    target: '/prompt',
    differs: 'body.prompt.a.inputs.color is 7, and was 16711680',
  })
  expect(error).toBe(
    'The recording has no answer to POST /prompt. The nearest is entry 1, POST /prompt: body.prompt.a.inputs.color is 7, and was 16711680.',
  )
  const said = async (path: string, init?: RequestInit): Promise<string> =>
    ((await (await fetch(url + path, init)).json()) as { error: string }).error
  expect(await said('/view?filename=none.png&subfolder=&type=output')).toMatch(
    /entry 5, GET \/view\?filename=anim_00002_.webp.*: query.filename is "none.png", and was "anim_00002_.webp"/,
  )
  expect(await said('/prompt', { method: 'PUT' })).toMatch(/PUT \/prompt.*: its method is POST/)
  expect(await said('/viev')).toMatch(/GET \/viev\. .*: its path is \/view/)
  expect(await said('/object_info')).toMatch(/None of its 9 requests is near/)
  command.process.kill('SIGTERM')
  const { code, stderr } = await command.ends
  expect(code).toBe(0)
  expect(stderr).toContain(`flowdouble: ${error}\n`)
})

test('replay/any With --any, repeated or separated by commas, members need not match', async () => {
  const any = ['--any', 'other,EmptyImage.color', '--any', 'batch_size']
  const command = start('replay', sessionFile(first), '--port', '0', '--json', ...any)
  const { url } = JSON.parse(await command.says(/\n/)) as { url: string }
  const submit = async (change: object): Promise<number> => {
    const [recorded] = submitsOf(first)
    Object.assign(recorded.prompt.a.inputs, change)
    const body = JSON.stringify({ ...recorded, client_id: 'another' })
    return (await fetch(`${url}/prompt`, { method: 'POST', body })).status
  }
  expect(await submit({ color: 7, batch_size: 99 })).toBe(200)
  expect(await submit({ width: 99 })).toBe(404)
  command.process.kill('SIGTERM')
  expect((await command.ends).code).toBe(0)
})

const runReplay = (...argv: readonly string[]): Promise<Output> => outputOf(replayCommand, argv)

const recording = sessionFile(first)
const written = (name: string, text: string): string => {
  const path = join(folder(), name)
  writeFileSync(path, text)
  return path
}
const cut = written('cut.har', sessionText(first).slice(0, 5000))
const foreign = written('foreign.har', '{"openapi": "3.1.0"}')
const empty = written('empty.har', '{"log": {"entries": []}}')

const ended: readonly CommandRow[] = [
  [[cut], 1, '', /cut\.har is not a HAR file.*cut off/],
  [[foreign], 1, '', /foreign\.har is not a recording: /],
  [[empty], 1, '', /empty\.har holds no answered request and no socket/],
  [['no-such.har'], 1, '', /no-such\.har/],
  [['--help'], 0, /flowdouble replay session\.har --port 0/, ''],
]
commandRows(runReplay, titled('replay/command', ended))

const wrong: readonly (readonly string[])[] = [
  [],
  ['a.har', 'b.har'],
  ['a.har', '--colour'],
  ['a.har', '--clock', 'fast'],
  [recording, '--any', 'a.b.c'],
  [recording, '--any', 'seed,'],
]
const hint = /See: flowdouble replay --help/
refusals(
  runReplay,
  titled(
    'replay/usage',
    wrong.map((argv) => [argv, hint] as const),
  ),
)
