// The command `check --trace`: verdicts, exit codes, the baseline, reports, and files that are not recordings.

import { test } from 'vitest'
import { type Recording, writeHar } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { withFiles } from './check-files.ts'
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

test(
  'trace/as-expected Recordings that keep all laws end with 0, and of several the places are judged apart.',
  withFiles(async ({ write, check }) => {
    write('a.har', await textOf())
    write('b.har', await textOf(all(), 'hosted'))
    const { code, events } = await check('--trace', 'a.har', 'b.har', '--json')
    expect(code).toBe(0)
    const cases = events().flatMap((one) => (one.event === 'case' ? [one] : []))
    expect(new Set(cases.map(({ place }) => place))).toEqual(new Set(['local', 'hosted']))
    expect(cases.filter(({ verdict }) => verdict === 'fail')).toEqual([])
    expect(events()[0]).toMatchObject({ target: { recorded: true } })
  }),
)

test(
  'trace/broken A broken rule ends with 1, and is reported with its place in the file.',
  withFiles(async ({ write, check }) => {
    write('a.har', await textOf(outOfOrder))
    const { code, stdout } = await check('--trace', 'a.har')
    expect(code).toBe(1)
    expect(stdout).toContain('messages/order')
    expect(stdout).toMatch(/a\.har, entry \d+ \(socket\), message \d+: The run [-\w]+: Message \d+/)
    expect(stdout).toContain('flowdouble check --trace a.har --only messages/order')
  }),
)

test(
  'trace/place Of a foreign recording, place and server are found from the requests.',
  withFiles(async ({ write, check }) => {
    write('a.har', await textOf(exported(outOfOrder), 'hosted'))
    const { code, events } = await check('--trace', 'a.har', '--json')
    expect(code).toBe(1)
    expect(events()[0]).toMatchObject({ target: { place: 'hosted' } })
  }),
)

test(
  'trace/quirks A finding that a quirk explains names it, and is accepted with it.',
  withFiles(async ({ write, check }) => {
    write('a.har', await textOf(kept))
    const { events } = await check('--trace', 'a.har', '--json')
    const found = events().filter((one) => one.event === 'case' && one.failure !== undefined)
    expect(found).toMatchObject([{ quirk: 'history.completed-on-error' }])
    const accepted = await check('--trace', 'a.har', '--accept', 'history.completed-on-error')
    expect(accepted.code).toBe(0)
  }),
)

test(
  'trace/other-version A rule that was observed at another version is a note; --like names the version.',
  withFiles(async ({ write, check }) => {
    const unnamed = exchanges('GET /system_stats', () => [])
    write('a.har', await textOf(exported(all(withoutSid, unnamed))))
    const only = ['--trace', 'a.har', '--only', 'messages/sid', '--json']
    const unknown = await check(...only)
    expect(unknown.code).toBe(0)
    expect(unknown.events()[1]).toMatchObject({ verdict: 'note' })
    expect((await check(...only, '--like', 'comfyui-0.3.64')).code).toBe(1)
  }),
)

test(
  'trace/baseline Known failures do not fail it, and what no longer fails is stale.',
  withFiles(async ({ write, check, has }) => {
    write('a.har', await textOf(outOfOrder))
    const flags = ['--trace', 'a.har', '--baseline', 'known.json']
    await check(...flags, '--update-baseline')
    expect(has('known.json')).toBe(true)
    expect((await check(...flags)).code).toBe(0)
    write('a.har', await textOf())
    expect((await check(...flags)).code).toBe(3)
  }),
)

test(
  'trace/reports It writes the reports of a check.',
  withFiles(async ({ write, check, read }) => {
    write('a.har', await textOf(outOfOrder))
    await check('--trace', 'a.har', '--junit', 'j.xml', '--html', 'h.html', '--markdown', 'm.md')
    for (const name of ['j.xml', 'h.html', 'm.md']) expect(read(name)).toContain('messages/order')
  }),
)

test(
  'trace/nothing A recording of something else is not measured.',
  withFiles(async ({ write, check }) => {
    const entry = {
      startedDateTime: '2026-01-01T00:00:00.000Z',
      request: { method: 'GET', url: 'https://example.com/other' },
      response: { status: 200 },
    }
    write('a.har', JSON.stringify({ log: { version: '1.2', entries: [entry] } }))
    const { code, stdout } = await check('--trace', 'a.har')
    expect(code).toBe(5)
    expect(stdout).toContain('a.har contains no request that the spec knows.')
  }),
)

test(
  'trace/refused Files that are cut off, changed or foreign are refused, with the place in them.',
  withFiles(async ({ write, check }) => {
    const whole = await textOf()
    const wrong: readonly (readonly [text: string, says: RegExp])[] = [
      [whole.slice(0, whole.length / 2), /a\.har is not a HAR file: .*It seems to be cut off\./],
      ['{"seed":1}', /a\.har is not a recording: /],
      [whole.replace('"method":"POST"', '"method":7'), /entries\W+\d+.*method/],
      [whole.replace(/"startedDateTime":"[^"]*"/, '"startedDateTime":"noon"'), /entry 0/],
      [whole.replace(/"opcode":2,"data":"/, '"opcode":2,"data":"%'), /entry \d+ .*message \d+/],
    ]
    for (const [text, says] of wrong) {
      write('a.har', text)
      const { code, stderr } = await check('--trace', 'a.har')
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(says) })
    }
    const { code, stderr } = await check('--trace', 'none.har')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('none.har') })
  }),
)

test(
  'trace/flags Flags about a server are refused, as are laws that do not exist.',
  withFiles(async ({ write, check }) => {
    write('a.har', await textOf())
    expect(await check('--trace', 'a.har', '--key', 'k')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--key needs a server'),
    })
    expect(await check('--trace', 'a.har', '--only', 'queue/odd')).toMatchObject({ code: 2 })
    expect(await check('--trace')).toMatchObject({ code: 2 })
    const url = 'http://127.0.0.1:1'
    for (const more of [['--recording', 'a.har', '--only', 'queue/listing'], ['--update']])
      expect(await check(url, ...more)).toMatchObject({ code: 2 })
    expect(await check(url, '--recording', 'a.har')).toMatchObject({ code: 5 })
  }),
)
