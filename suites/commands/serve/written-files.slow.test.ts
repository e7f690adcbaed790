// What commands write: a disk that takes nothing more is named in a sentence, and what was begun is removed; what a client has
// received is in the journal file, whatever ends the process then.

import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEmulator } from 'flowdouble'
import { onTestFinished, test } from 'vitest'
import { learnCommand } from '../../../dist/emulator/internal.js'
import { textToImage } from '../../generate/graphs.ts'
import { openLine } from '../../judge/edges.ts'
import { expect } from '../../judge/expect.ts'
import { enabled } from '../../support/command-line.ts'
import { type Files, newFiles } from '../../support/files.ts'
import { folder } from '../../support/folder.ts'
import { startLimited } from '../../support/spawned.ts'

const har = join(import.meta.dirname, '../../../recordings/sessions/local-run.har')

/** How a command ends in a folder, which is also that for temporary files, if no file can take a byte. */
async function onFullDisk({ dir, names }: Files, ...argv: readonly string[]) {
  const command = startLimited(`cd ${dir}; export TMPDIR=${dir}; ulimit -f 0`, ...argv)
  const { code, stderr } = await command.ends
  return { code, says: stderr.replaceAll(dir, 'PLACE'), left: names() }
}

for (const [name, argv, code, sentence] of [
  ['learn', ['learn', har, '--out', 'a/b.yaml'], 1, /^Cannot write PLACE\/a\/b\.yaml: EFBIG/],
  ['shrink', ['shrink', har, '--command', 'exit 1'], 2, /^Cannot write a part to PLACE\/.*: EFBIG/],
  ['record --from', ['record', '--from', har, '--out', 'a.har'], 1, /^Cannot write PLACE\/a\.har/],
  [
    'gateway setup',
    ['gateway', 'setup', '--enable', '--yes', '--config-dir', '.'],
    1,
    /^Cannot write the/,
  ],
] as const)
  test(`full-disk/command ${name} says that it cannot write, and leaves nothing`, async () => {
    const { code: ended, says, left } = await onFullDisk(newFiles(), ...argv)
    expect(says).toMatch(sentence)
    expect(says).not.toContain('    at ')
    expect({ code: ended, left }).toEqual({ code, left: [] })
  })

test('full-disk/check check and diff stop without a ledger, and check removes the runs that it has made', async () => {
  const server = await startEmulator({ port: 0, clock: 'instant' })
  const other = await startEmulator({ port: 0, clock: 'instant' })
  onTestFinished(async () => void (await Promise.all([server.close(), other.close()])))
  const only = ['--only', 'workflows/reply', '--only', 'files/upload']
  for (const argv of [
    ['check', server.url, ...only],
    ['check', server.url, '--recording', har],
    ['diff', server.url, other.url],
  ] as const) {
    const { code, says, left } = await onFullDisk(newFiles(), ...argv)
    expect(says).toMatch(
      /^Cannot write the ledger PLACE\/.*: EFBIG.*\nSee: flowdouble \w+ --help\n$/,
    )
    expect({ code, left }).toEqual({ code: 2, left: [] })
    // diff leaves its runs in the history.
    if (argv[0] === 'check') expect(await (await fetch(`${server.url}/history`)).json()).toEqual({})
  }
})

test('full-disk/subscribe webhook subscribe leaves neither a lock nor a part of the file', async () => {
  const place = newFiles({ 'config.yaml': enabled() })
  const argv = ['webhook', 'subscribe', 'a', '--config-dir', '.']
  const { code, says, left } = await onFullDisk(place, ...argv)
  expect(says).toMatch(/^Cannot write the subscriptions in PLACE: EFBIG/)
  expect({ code, left }).toEqual({ code: 1, left: ['config.yaml'] })
})

test('full-disk/learn Files of a scenario that cannot be written go again, and those of an earlier one stay', async () => {
  const place = newFiles({ 'a.har': readFileSync(har, 'utf8') })
  const learn = (out: string) => place.run(learnCommand, 'a.har', '--out', out, '--overwrite')
  expect((await learn('old.yaml')).code).toBe(0)
  const files = (): readonly string[] =>
    (readdirSync(place.dir, { recursive: true }) as string[]).toSorted()
  const before = files()
  mkdirSync(place.path('new.yaml'))
  const stderr = expect.stringMatching(/^Cannot write .*new\.yaml: EISDIR.*\n$/)
  expect(await learn('new.yaml')).toMatchObject({ code: 1, stderr })
  expect(files()).toEqual([...before, 'new.yaml'].toSorted())
})

const journal = join(folder(), 'journal.jsonl')

test.each(['manual', 'instant'] as const)(
  'journal-file/first What a client receives is in the journal file before, on the clock %s',
  async (clock) => {
    const server = await startEmulator({ clock, journal, overwrite: true })
    onTestFinished(() => server.close())
    const kept: boolean[] = []
    const line = openLine(server.url, '/ws?clientId=me', (data, isBinary) => {
      const text = readFileSync(journal, 'utf8')
      kept.push(isBinary || text.includes(JSON.stringify(data.toString()).slice(1, -1)))
    })
    await line.opened
    const body = JSON.stringify({ prompt: textToImage(), client_id: 'me' })
    const submitted = await fetch(`${server.url}/prompt`, { method: 'POST', body })
    expect(submitted.status).toBe(200)
    expect(readFileSync(journal, 'utf8')).toContain(await submitted.text().then(JSON.stringify))
    if (clock === 'manual') await server.until('idle')
    await line.settled()
    expect(kept.length).toBeGreaterThan(10)
    expect(kept).not.toContain(false)
    const lines = await server.journal()
    expect(readFileSync(journal, 'utf8').trimEnd().split('\n').length).toBe(lines.length)
  },
)
