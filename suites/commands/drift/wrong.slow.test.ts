// `check --recording` finds what wrong servers do to committed recordings, and is silent about what depends on time alone.
// Most of them wait, each for its own world.

import { type Emulator, startEmulator } from 'flowdouble'
import { test } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { mutants } from '../../mutants/index.ts'
import { sessionText } from '../../support/recordings/real-sessions.ts'
import { type Files, type Result, newFiles } from '../../support/files.ts'

/** The session that shows what a mutant does. */
const shown: readonly (readonly [mutant: string, session: string])[] = [
  ['workflows/submit-is-lost', 'local-queue'],
  ['queue/listing-renamed', 'local-queue'],
  ['history/clear-is-ignored', 'local-history'],
  ['history/outputs-as-list', 'local-run'],
  ['quirks/history.completed-on-error', 'local-failure'],
  ['messages/progress-from-zero', 'local-frames'],
  ['messages/executed-never', 'local-run'],
  ['frames/preview-never', 'local-frames'],
  ['frames/never-with-metadata', 'local-frames-metadata'],
  ['files/upload-loses-a-byte', 'local-uploads'],
  ['files/view-as-json', 'local-uploads'],
]

/** Sessions that show a run while it runs: their clock waits for the requests, however slow the machine is. */
const drivers: Readonly<Record<string, (world: Emulator) => Promise<void>>> = {
  'local-queue': async (world) => {
    const limit = { withinMs: 60_000 }
    await world.received({ method: 'POST', path: '/prompt', times: 3 }, limit)
    await world.advance(25)
    // What the session does after its first look at the queue.
    await world.received({ method: 'POST', path: '/queue' }, limit)
    await world.until('idle')
  },
}

async function sentTo(
  { check, write }: Files,
  session: string,
  options: object,
  ...more: readonly string[]
): Promise<Result> {
  const drive = drivers[session]
  const clock = drive === undefined ? 'real' : 'manual'
  const world = await startEmulator({ clock, preview: 'jpeg', ...options })
  try {
    write('a.har', sessionText(session))
    const driven = drive?.(world)
    const flags = ['--json', '--allow', 'all', ...more]
    const result = await check('--recording', 'a.har', world.url, ...flags)
    await driven
    return result
  } finally {
    await world.close()
  }
}

/** The options of a world that is as wrong as a mutant. */
function optionsOf(name: string): object {
  const [, mutant] = mutants.find(([own]) => own === name) ?? []
  expect(mutant).toBeDefined()
  const { options, tamper } = mutant as { options?: object; tamper?: (on: 'local') => object }
  return { ...options, ...(tamper && { tamper: tamper('local') }) }
}

test.concurrent.each(shown)('drift/wrong %s shows in %s.', async (name, session) => {
  const files = newFiles()
  const { code, cases } = await sentTo(files, session, optionsOf(name))
  expect(code).toBe(1)
  expect(cases('fail').length).toBeGreaterThan(0)
})

test('drift/quirk A change that a quirk explains names it, and is a note with --accept.', async () => {
  const files = newFiles()
  const quirk = ['history.completed-on-error']
  const alone = await sentTo(files, 'local-failure', { quirk })
  expect(alone.cases('fail')).toMatchObject([{ quirk: quirk[0] }])
  const accepted = await sentTo(files, 'local-failure', { quirk }, '--accept', quirk[0]!)
  expect(accepted.code).toBe(0)
  expect(accepted.cases('note')).toMatchObject([{ quirk: quirk[0] }])
  // That server does not have this quirk.
  const like = await sentTo(files, 'local-failure', { quirk }, '--like', 'comfyui-0.3.64')
  expect(like.cases('fail')).toMatchObject([{ quirk: quirk[0] }])
})

test('drift/unexplained A quirk that is accepted hides no other change.', async () => {
  const files = newFiles()
  const accept = ['--accept', 'history.completed-on-error']
  const wrong = optionsOf('history/outputs-as-list')
  expect(await sentTo(files, 'local-run', wrong, ...accept)).toMatchObject({ code: 1 })
})

test('drift/warm A server that has run the same before takes it from the cache, which is a note.', async () => {
  const { check, write } = newFiles()
  const world = await startEmulator({ clock: 'instant' })
  try {
    write('a.har', sessionText('local-run'))
    const run = () => check('--recording', 'a.har', world.url, '--json')
    const [first, second] = [await run(), await run()]
    expect([first.code, second.code]).toEqual([0, 0])
    const notes = second.cases('note').map(({ detail }) => detail)
    expect(notes.join()).toContain('other nodes of the run are cached')
  } finally {
    await world.close()
  }
})
