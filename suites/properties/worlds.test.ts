// Worlds at one address do not notice each other, and a restored world continues as it did: whatever clients do.

import { type Emulator, startEmulator } from 'flowdouble'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { solid, textToImage } from '../generate/graphs.ts'
import { subjectOf, type Subject } from '../judge/subject.ts'
import { runs } from '../support/effort.ts'

let address: Emulator
beforeAll(async () => {
  address = await startEmulator({ clock: 'manual', preview: 'none' })
})
afterAll(() => address.close())

/** What clients and tests do to a world. */
const actions: Readonly<Record<string, (subject: Subject, value: number) => Promise<unknown>>> = {
  submit: ({ submit }, value) => submit(solid(value)),
  'submit steps': ({ submit }, value) => submit(textToImage(value)),
  upload: ({ upload }, value) => upload({ name: `${value}.txt`, bytes: Buffer.from('a') }),
  settings: ({ post }, value) => post('/settings', { value }),
  interrupt: ({ post }) => post('/interrupt', {}),
  clear: ({ post }) => post('/queue', { clear: true }),
  history: ({ get }) => get('/history'),
  advance: async ({ emulator }, value) => emulator?.advance(value * 10),
  idle: ({ idle }) => idle(),
}

const action = fc.record({
  world: fc.integer({ min: 0, max: 1 }),
  name: fc.constantFrom(...Object.keys(actions)),
  value: fc.integer({ min: 1, max: 9 }),
})
type Action = { readonly world: number; readonly name: string; readonly value: number }

const perform = async (subject: Subject, list: readonly Action[]): Promise<void> => {
  for (const { name, value } of list) await actions[name]?.(subject, value)
}

/** The entries of a world's journal from the last change of its state on. */
async function entriesOf({ emulator }: Subject): Promise<readonly string[]> {
  const [, ...lines] = (await emulator?.journal()) ?? []
  return lines.slice(lines.findLastIndex((line) => line.includes('"kind":"world"')) + 1)
}

/** Creates worlds for a test and closes them after it. */
async function withWorlds(count: number, body: (worlds: Subject[]) => Promise<void>) {
  const worlds: Subject[] = []
  for (let at = 0; at < count; at++) worlds.push(subjectOf(await address.world()))
  try {
    await body(worlds)
  } finally {
    for (const world of worlds) await world.close()
  }
}

test('worlds/no-cross-talk Actions in one world change nothing in another', () =>
  fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 25 }), (list) =>
      withWorlds(4, async (worlds) => {
        const [one, other, alone, apart] = worlds as [Subject, Subject, Subject, Subject]
        const both = [one, other]
        for (const each of list) await perform(both[each.world] as Subject, [each])
        await perform(
          alone,
          list.filter(({ world }) => world === 0),
        )
        await perform(
          apart,
          list.filter(({ world }) => world === 1),
        )
        expect(await entriesOf(one)).toEqual(await entriesOf(alone))
        expect(await entriesOf(other)).toEqual(await entriesOf(apart))
      }),
    ),
    { numRuns: runs(100) },
  ))

test('worlds/restored A restored world continues as it did after the snapshot, and so does a fork', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(action, { maxLength: 12 }),
      fc.array(action, { maxLength: 12 }),
      (before, after) =>
        withWorlds(1, async (worlds) => {
          const [world] = worlds as [Subject]
          const emulator = world.emulator as Emulator
          const withoutNumbers = async (subject: Subject) =>
            (await entriesOf(subject)).map((line) => line.replaceAll(/"request":\d+/g, ''))
          await perform(world, before)
          emulator.snapshot('here')
          const fork = subjectOf(await emulator.fork())
          await perform(world, after)
          const once = await withoutNumbers(world)
          await emulator.restore('here')
          await perform(world, after)
          expect(await withoutNumbers(world)).toEqual(once)
          await perform(fork, after)
          expect(await withoutNumbers(fork)).toEqual(once)
          await fork.close()
        }),
    ),
    { numRuns: runs(100) },
  ))
