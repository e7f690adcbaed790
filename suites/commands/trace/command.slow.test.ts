// The command `check --trace`: verdicts, exit codes, the baseline, reports, and files that are not recordings.

import { test } from 'vitest'
import { type Recording, writeHar } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { type Output, refusals, titled } from '../../support/in-process.ts'
import { newFiles } from '../../support/files.ts'
import { all, data, dropped, type Edit, exchanges, atClient, reply } from './edit.ts'
import { goodSession } from './sessions.ts'

const textOf = async (edit: Edit = all(), place: 'local' | 'hosted' = 'local'): Promise<string> =>
  writeHar(edit(await goodSession(place)))

/** Breaks an observed rule, which a server of another version need not keep. */
const withoutSid = data('status', () => ({ sid: 'another' }))
/** Breaks a stated rule. */
const outOfOrder = atClient((which) => dropped('executing', which))
const kept = reply(
  'GET /history/',
  (body) =>
    Object.fromEntries(
      Object.entries<any>(body).map(([id, one]) => [
        id,
        { ...one, status: { ...one.status, completed: true } },
      ]),
    ),
  1,
)

/** A session as another tool exports it, which says nothing of the server. */
const exported =
  (edit: Edit): Edit =>
  (recording): Recording => ({ ...edit(recording), info: null })

test('trace/as-expected Recordings that keep all laws end with 0, and of several the places are judged apart.', async () => {
  const { write, check } = newFiles()
  write('a.har', await textOf())
  write('b.har', await textOf(all(), 'hosted'))
  const { code, events, cases } = await check('--trace', 'a.har', 'b.har', '--json')
  expect(code).toBe(0)
  expect(new Set(cases().map(({ place }) => place))).toEqual(new Set(['local', 'hosted']))
  expect(cases('fail')).toEqual([])
  expect(events()[0]).toMatchObject({ target: { recorded: true } })
})

test('trace/broken A broken rule ends with 1, and is reported with its place in the file.', async () => {
  const { write, check } = newFiles()
  write('a.har', await textOf(outOfOrder))
  const { code, stdout } = await check('--trace', 'a.har')
  expect(code).toBe(1)
  expect(stdout).toContain('messages/order')
  expect(stdout).toMatch(/a\.har, entry \d+ \(socket\), message \d+: The run [-\w]+: Message \d+/)
  expect(stdout).toContain('flowdouble check --trace a.har --only messages/order')
})

test('trace/place Of a foreign recording, place and server are found from the requests.', async () => {
  const { write, check } = newFiles()
  write('a.har', await textOf(exported(outOfOrder), 'hosted'))
  const { code, events } = await check('--trace', 'a.har', '--json')
  expect(code).toBe(1)
  expect(events()[0]).toMatchObject({ target: { place: 'hosted' } })
})

test('trace/quirks A finding that a quirk explains names it, and is accepted with it.', async () => {
  const { write, check } = newFiles()
  write('a.har', await textOf(kept))
  const { cases } = await check('--trace', 'a.har', '--json')
  expect(cases().filter(({ failure }) => failure !== undefined)).toMatchObject([
    { quirk: 'history.completed-on-error' },
  ])
  const accept = ['--accept', 'history.completed-on-error']
  expect(await check('--trace', 'a.har', ...accept)).toMatchObject({ code: 0 })
})

test('trace/other-version A rule that was observed at another version is a note; --like names the version.', async () => {
  const { write, check } = newFiles()
  const unnamed = exchanges('GET /system_stats', () => [])
  write('a.har', await textOf(exported(all(withoutSid, unnamed))))
  const only = ['--trace', 'a.har', '--only', 'messages/sid', '--json']
  const unknown = await check(...only)
  expect(unknown.code).toBe(0)
  expect(unknown.events()[1]).toMatchObject({ verdict: 'note' })
  expect((await check(...only, '--like', 'comfyui-0.3.64')).code).toBe(1)
})

test('trace/baseline Known failures do not fail it, and what no longer fails is stale.', async () => {
  const { write, check, has } = newFiles()
  write('a.har', await textOf(outOfOrder))
  const flags = ['--trace', 'a.har', '--baseline', 'known.json']
  await check(...flags, '--update-baseline')
  expect(has('known.json')).toBe(true)
  expect((await check(...flags)).code).toBe(0)
  write('a.har', await textOf())
  expect((await check(...flags)).code).toBe(3)
})

test('trace/reports It writes the reports of a check.', async () => {
  const { write, check, read } = newFiles()
  write('a.har', await textOf(outOfOrder))
  await check('--trace', 'a.har', '--junit', 'j.xml', '--html', 'h.html', '--markdown', 'm.md')
  for (const name of ['j.xml', 'h.html', 'm.md']) expect(read(name)).toContain('messages/order')
})

test('trace/nothing A recording of something else is not measured.', async () => {
  const { write, check } = newFiles()
  const entry = {
    startedDateTime: '2026-01-01T00:00:00.000Z',
    request: { method: 'GET', url: 'https://example.com/other' },
    response: { status: 200 },
  }
  write('a.har', JSON.stringify({ log: { version: '1.2', entries: [entry] } }))
  const { code, stdout } = await check('--trace', 'a.har')
  expect(code).toBe(5)
  expect(stdout).toContain('a.har contains no request that the spec knows.')
})

/** Runs `check` beside a recording that keeps all laws, changed as a text. */
const checkWith =
  (change: (text: string) => string) =>
  async (...argv: readonly string[]): Promise<Output> => {
    const { write, check } = newFiles()
    write('a.har', change(await textOf()))
    return check(...argv)
  }

/** Files that are cut off, changed or foreign, each with its place in the refusal. */
const changes: readonly (readonly [change: (text: string) => string, says: RegExp])[] = [
  [
    (whole) => whole.slice(0, whole.length / 2),
    /a\.har is not a HAR file: .*It seems to be cut off\./,
  ],
  [() => '{"seed":1}', /a\.har is not a recording: /],
  [(whole) => whole.replace('"method":"POST"', '"method":7'), /entries\W+\d+.*method/],
  [(whole) => whole.replace(/(?<="startedDateTime":)"[^"]*"/, '"noon"'), /entry 0/],
  [(whole) => whole.replace('"opcode":2,"data":"', '$&%'), /entry \d+ .*message \d+/],
]
for (const [at, [change, says]] of changes.entries())
  refusals(checkWith(change), titled(`trace/refused ${at}`, [[['--trace', 'a.har'], says]]))

const url = 'http://127.0.0.1:1'
const wrong: readonly (readonly [argv: readonly string[], says: RegExp])[] = [
  [['--trace', 'none.har'], /none\.har/],
  [['--trace', 'a.har', '--key', 'k'], /--key needs a server/],
  [['--trace', 'a.har', '--only', 'queue/odd'], /./],
  [['--trace'], /./],
  [[url, '--recording', 'a.har', '--only', 'queue/listing'], /./],
  [[url, '--update'], /./],
]
const checkUnchanged = checkWith((whole) => whole)
refusals(checkUnchanged, titled('trace/flags', wrong))

test('trace/flags A comparison with a server that does not answer measures nothing.', async () => {
  expect(await checkUnchanged(url, '--recording', 'a.har')).toMatchObject({ code: 5 })
})
