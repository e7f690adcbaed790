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
import { textToImage } from '../../generate/graphs.ts'
import { json, recordedWorld, rest } from '../../support/recordings/recorded-session.ts'
import { replayOf } from '../../support/recordings/replayed.ts'

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

const graph = (seed: number, color = 0): object => ({
  ...textToImage(seed, 2),
  odd: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color, seed: 1 } },
})

/** The recorded runs of two seeds, and a request with one in a parameter. */
const recordedSeeds = recordedWorld({}, async (client, world) => {
  for (const [at, prompt_id] of ['one', 'two'].entries()) {
    const body = { prompt: graph(at + 1), client_id: 'then', prompt_id }
    await client.request('POST', '/prompt', json(body))
    await rest(client, world)
  }
  await client.request('GET', '/view?filename=none.png&seed=1')
})

type Submit = (prompt: object) => Promise<{ prompt_id?: string; error?: any }>

const withAny = async (
  any: readonly string[],
  use: (submit: Submit, url: string) => Promise<void>,
): Promise<void> => {
  const { url } = await replayOf(await recordedSeeds, { any })
  const submit: Submit = async (prompt) => {
    const body = JSON.stringify({ prompt })
    return (await (await fetch(`${url}/prompt`, { method: 'POST', body })).json()) as object
  }
  return use(submit, url)
}

test('replay/any Runs with other seeds are the recorded ones in order', async () => {
  await withAny(['seed'], async (submit, url) => {
    expect((await submit(graph(77))).prompt_id).toBe('one')
    expect((await submit(graph(78))).prompt_id).toBe('two')
    expect((await submit(graph(79))).prompt_id).not.toBe('two')
    expect((await submit(graph(80, 5))).error).toMatch(/inputs\.color is 5/)
    const reply = await fetch(`${url}/view?filename=none.png&seed=9`)
    expect([reply.status, reply.headers.get('x-flowdouble-replay')]).toEqual([404, null])
  })
})

test('replay/any A member is named with the type or the id of its node', async () => {
  const { odd, ...rest } = graph(5) as any
  const other = { ...rest, odd: { ...odd, inputs: { ...odd.inputs, seed: 9 } } }
  const sampler = Object.entries(rest).find(([, { class_type }]: any) => class_type === 'KSampler')
  for (const [any, matches] of [
    [['KSampler.seed'], [true, false]],
    [[`${sampler?.[0]}.seed`], [true, false]],
    [
      ['KSampler.seed', 'odd.seed'],
      [true, true],
    ],
    [['EmptyImage.seed'], [false, false]],
  ] as const)
    await withAny(any, async (submit) => {
      const replies = [await submit(graph(5)), await submit(other)]
      expect(replies.map(({ prompt_id }) => prompt_id !== undefined)).toEqual(matches)
    })
})

test('replay/any Where only a seed differs, the 404 names the option', async () => {
  await withAny([], async (submit) => {
    expect((await submit(graph(5))).error).toMatch(/ With --any seed it need not match\.$/)
    expect((await submit(graph(5, 7))).error).not.toContain('--any')
  })
  await expect(startReplay({ recording: {}, any: ['a.b.c'] })).rejects.toThrow(
    'any names members, as seed or KSampler.seed: "a.b.c" does not.',
  )
})
