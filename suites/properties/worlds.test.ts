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

type Line = { input: { kind: string; request?: number }; effects: Effect[] }
type Effect = { request?: number; body?: string | { sameAs: number } }

/**
 * The entries of a world's journal from the last change of its state on, without numbers of requests. A large body that
 * repeats an earlier one stands there as the number of its entry: whether it repeats one depends on what came before.
 */
async function entriesOf({ emulator }: Subject): Promise<readonly unknown[]> {
  const [, ...texts] = (await emulator?.journal()) ?? []
  const lines = texts.map((text) => JSON.parse(text) as Line)
  const bodyOf = ({ body }: Effect): unknown =>
    typeof body === 'object' && 'sameAs' in body
      ? lines[body.sameAs]?.effects
          .map((effect) => effect.body)
          .find((one) => typeof one === 'string')
      : body
  return lines
    .slice(lines.findLastIndex(({ input }) => input.kind === 'world') + 1)
    .map(({ input, effects }) => ({
      input: { ...input, request: null },
      effects: effects.map((effect) => ({ ...effect, request: null, body: bodyOf(effect) })),
    }))
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
    { seed: 20261124, numRuns: runs(100) },
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
          await perform(world, before)
          emulator.snapshot('here')
          const fork = subjectOf(await emulator.fork())
          await perform(world, after)
          const once = await entriesOf(world)
          await emulator.restore('here')
          await perform(world, after)
          expect(await entriesOf(world)).toEqual(once)
          await perform(fork, after)
          expect(await entriesOf(fork)).toEqual(once)
          await fork.close()
        }),
    ),
    { seed: 20261124, numRuns: runs(100) },
  ))
