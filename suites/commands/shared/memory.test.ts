// The memory of all worlds of a shared server: which of them lose what, in which order, and how they say so.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replay, startEmulator } from 'flowdouble'
import { vi } from 'vitest'
import { talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { type Subject, subjectOf } from '../../judge/subject.ts'
import { folder } from '../../support/folder.ts'
import { lookClock } from './look-clock.ts'

/** Submits runs that take about 40 KiB each, in history and journal, and lets them end. */
async function fill({ submit, idle }: Subject, runs: number): Promise<void> {
  for (let run = 1; run <= runs; run++)
    expect((await submit(talking(`${run}`.padEnd(6000, 'x')))).status).toBe(200)
  await idle()
}

/** What was printed while this was done. */
async function printed(work: () => Promise<void>): Promise<readonly string[]> {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    await work()
    return said.mock.calls.map(([text]) => String(text))
  } finally {
    said.mockRestore()
  }
}

const trims = async ({ emulator }: Subject): Promise<number> =>
  (await emulator!.journal()).filter((line) => line.includes('"kind":"trim"')).length

/** A server whose worlds take one MiB together at most, worlds by their names, and the clock of its looks. */
async function sharing({ deployment }: Subject, ...names: readonly string[]) {
  const clock = lookClock()
  const { expiry } = clock
  const server = await startEmulator({ deployment, clock: 'manual', memoryMib: 1, expiry })
  const worlds = []
  for (const name of names) worlds.push(subjectOf(await server.world({ name })))
  return { server, clock, worlds: worlds as [Subject, Subject, Subject] }
}

const runsOf = ({ emulator }: Subject): number => emulator!.runs().length

proves(['shared/memory', 'shared/memory-order', 'shared/memory-share'], async (subject) => {
  const { server, clock, worlds } = await sharing(subject, 'quiet', 'first', 'second')
  const [quiet, first, second] = worlds
  await fill(quiet, 2)
  await fill(second, 4)
  clock.at(1)
  await fill(first, 24)
  clock.at(2)
  let runs = 4
  const lines = await printed(async () => {
    for (; runs < 40 && runsOf(first) === 24; runs++) {
      await fill(second, 1)
      clock.at(3)
    }
  })
  // The one that was used before the other lost its oldest runs, which was enough.
  expect(worlds.map(runsOf)).toEqual([2, expect.any(Number), runs])
  expect(lines).toEqual([expect.stringMatching(/^flowdouble: A world has lost the oldest.* 1 MiB/)])
  expect(await first.history()).toHaveLength(runsOf(first))
  expect(runsOf(first)).toBeGreaterThan(0)
  expect(await Promise.all(worlds.map(trims))).toEqual([0, 1, 0])
  // What is asked about the rest says that it is not all.
  const passed = worlds.map(({ emulator }) => emulator!.verify({ path: '/prompt', times: 1 }))
  expect((await Promise.all(passed)).map(({ complete }) => complete)).toEqual([true, false, true])
  // Later the other one takes more than its share as well; the quiet one keeps what it has.
  await printed(async () => {
    await fill(first, 1)
    await fill(second, 20)
    clock.at(4)
  })
  expect(runsOf(quiet)).toBe(2)
  expect(runsOf(second)).toBeLessThan(runs + 20)
  await server.close()
})

proves('shared/memory-said', async (subject) => {
  const { deployment } = subject
  const clock = lookClock()
  const journal = join(folder(), 'journal')
  const server = await startEmulator({
    deployment,
    clock: 'manual',
    memoryMib: 0.5,
    expiry: clock.expiry,
    journal,
  })
  const root = subjectOf(server)
  server.snapshot('before')
  const lines = await printed(async () => {
    for (let second = 1; second <= 200; second++) {
      await fill(root, 1)
      clock.at(second)
      if (second === 40) server.snapshot('filled')
    }
  })
  // A line a minute at most, and a part of each look.
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.length).toBeLessThan(5)
  await server.restore('filled')
  const left = runsOf(root)
  expect(left).toBeLessThan(40)
  const [, first] = (await server.journal()).map((line) => JSON.parse(line) as { input?: unknown })
  await server.close()
  const whole = readFileSync(journal, 'utf8').trim().split('\n')
  expect(first).not.toEqual(JSON.parse(whole[1]!))
  expect(whole.filter((line) => line.includes('"kind":"trim"')).length).toBeGreaterThan(2)
  expect(replay(whole)).toEqual({ entries: whole.length - 1, differs: null })
})

proves('shared/memory-full', async (subject) => {
  const { server, clock, worlds } = await sharing(subject, 'large', 'small')
  const [large, small] = worlds
  const upload = async ({ upload: send }: Subject, name: string): Promise<number> =>
    (await send({ name: `${name}.bin`, bytes: Buffer.alloc(300_000, name) })).status
  for (const name of ['a', 'b', 'c', 'd']) expect(await upload(large, name)).toBe(200)
  const lines = await printed(async () => clock.at(1))
  expect(lines).toContainEqual(expect.stringMatching(/^flowdouble: 1 world refuses uploads/))
  expect([await upload(large, 'e'), await upload(small, 'e')]).toEqual([413, 200])
  const { status, text } = await large.submit(talking('x'.repeat(2000)))
  expect([status, text]).toEqual([413, expect.stringContaining('1024')])
  // What makes room is small.
  expect((await large.post('/history', { clear: true })).status).toBe(200)
  expect((await large.get('/queue')).status).toBe(200)
  await large.emulator!.close()
  await printed(async () => clock.at(2))
  expect(await upload(small, 'f')).toBe(200)
  await server.close()
})
