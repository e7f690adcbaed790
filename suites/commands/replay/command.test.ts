// The command `replay`: recorded sessions of a real server run to their files, and what the recording does not hold is named.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startReplay } from 'flowdouble'
import { test } from 'vitest'
import { readHar, replayCommand, runWorkflow } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { start } from '../../support/spawned.ts'
import { folder } from '../../support/folder.ts'

const sessions = join(import.meta.dirname, '..', '..', '..', 'recordings', 'sessions')
const names = ['animation-and-cache', 'texts-and-half-valid', 'image-to-image-metadata-previews']
const sessionOf = (name: string): string => join(sessions, `${name}.har`)
const readSession = (name: string) => readHar(readFileSync(sessionOf(name), 'utf8'), name)

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

for (const name of names)
  test(`replay/run flowdouble run of the first workflow of ${name} against its replay writes the recorded files`, async () => {
    const place = folder()
    const workflowPath = join(place, 'workflow.json')
    writeFileSync(workflowPath, JSON.stringify(submitsOf(name)[0].prompt))
    const replay = await startReplay({ recording: sessionOf(name), clock: 'instant' })
    try {
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
    } finally {
      await replay.close()
    }
  })

test('replay/samples A file that a run made and nobody downloaded is a small sample that says so', async () => {
  const replay = await startReplay({ recording: sessionOf(names[0] as string), clock: 'instant' })
  try {
    const sample = await fetch(`${replay.url}/view?filename=f_00002_.png&subfolder=frames`)
    expect([sample.status, sample.headers.get('x-flowdouble-replay')]).toEqual([200, 'sample'])
    expect(
      Buffer.from(await sample.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG')
    expect((await fetch(`${replay.url}/view?filename=other.png`)).status).toBe(404)
  } finally {
    await replay.close()
  }
})

/** Runs the command with these arguments until it ends by itself. */
async function runReplay(...argv: readonly string[]) {
  let [stdout, stderr] = ['', '']
  const io = {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    env: {},
    cwd: folder(),
  }
  const code = await replayCommand(argv, io)
  return { code, stdout, stderr }
}

test('replay/unmatched A request that was not recorded gets 404 with the nearest one and what differs, and is printed', async () => {
  const [name = ''] = names
  const command = start('replay', sessionOf(name), '--port', '0', '--json')
  const { url } = JSON.parse(await command.says(/\n/)) as { url: string }
  const [submit] = submitsOf(name)
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
  const [name = ''] = names
  const any = ['--any', 'other,EmptyImage.color', '--any', 'batch_size']
  const command = start('replay', sessionOf(name), '--port', '0', '--json', ...any)
  const { url } = JSON.parse(await command.says(/\n/)) as { url: string }
  const submit = async (change: object): Promise<number> => {
    const [recorded] = submitsOf(name)
    Object.assign(recorded.prompt.a.inputs, change)
    const body = JSON.stringify({ ...recorded, client_id: 'another' })
    return (await fetch(`${url}/prompt`, { method: 'POST', body })).status
  }
  expect(await submit({ color: 7, batch_size: 99 })).toBe(200)
  expect(await submit({ width: 99 })).toBe(404)
  command.process.kill('SIGTERM')
  expect((await command.ends).code).toBe(0)
})

const refusals: readonly (readonly [name: string, text: string, says: RegExp])[] = [
  [
    'cut',
    readFileSync(sessionOf(names[0] as string), 'utf8').slice(0, 5000),
    /cut\.har is not a HAR file.*cut off/,
  ],
  ['foreign', '{"openapi": "3.1.0"}', /foreign\.har is not a recording: /],
  ['empty', '{"log": {"entries": []}}', /empty\.har holds no answered request and no socket/],
]

for (const [name, text, says] of refusals)
  test(`replay/refused A ${name} file is refused with exit code 1 and why`, async () => {
    const place = folder()
    const path = join(place, `${name}.har`)
    writeFileSync(path, text)
    const { code, stderr, stdout } = await runReplay(path, '--port', '0')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(says)
  })

test('replay/usage Wrong usage has exit code 2 and says what to do, and the help has examples', async () => {
  const missing = await runReplay('no-such.har')
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('no-such.har')])
  for (const argv of [
    [],
    ['a.har', 'b.har'],
    ['a.har', '--colour'],
    ['a.har', '--clock', 'fast'],
    [sessionOf(names[0] as string), '--any', 'a.b.c'],
    [sessionOf(names[0] as string), '--any', 'seed,'],
  ]) {
    const { code, stderr } = await runReplay(...argv)
    expect(code).toBe(2)
    expect(stderr).toContain('See: flowdouble replay --help')
  }
  const help = await runReplay('--help')
  expect(help.stdout).toContain('flowdouble replay session.har --port 0')
})
