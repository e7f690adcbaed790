// A world that is saved and continued after each input behaves like one that never was: whole sessions of random actions,
// over sockets, on all kinds of servers and clocks.

import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import {
  type Effect,
  type Emulator,
  type EmulatorOptions,
  type Input,
  startEmulator,
} from 'flowdouble'
import {
  createCodec,
  loadHosted,
  newParts,
  nodeTypeFiles,
  readCatalog,
  readWorld,
  savedServer,
  serverMachine,
  wholeFile,
  worldOptions,
  type WorldParts,
  writeWorld,
} from '../../../dist/emulator/internal.js'
import { type Action, actionsUpTo } from '../../generate/actions.ts'
import { textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { v2Of } from '../../judge/hosted/v2.ts'
import { proves } from '../../judge/proves.ts'
import { type Subject, subjectOf } from '../../judge/subject.ts'
import { createSide } from '../../parity/two-servers.ts'
import { isLong } from '../../support/effort.ts'

/** An input, and the hash of its effects: what they refer to can change later. */
type Step = { readonly input: Input; readonly hash: string }

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === 'bigint') return `${one}`
    if (one instanceof Map) return [...one]
    // Bytes of one class or the other are equal; those of Node make an object of themselves first.
    const { type, data } = (one ?? {}) as { readonly type?: unknown; readonly data?: unknown }
    if (type === 'Buffer') return data
    return one instanceof Uint8Array ? Array.from(one) : one
  })

const hashOf = (effects: readonly Effect[]): string =>
  createHash('sha256').update(textOf(effects)).digest('hex')

/** What clients do, and what a test does beside them: it keeps states, returns to them, or follows a job of API v2. */
type Deed =
  | Action
  | { readonly kind: 'snapshot' | 'restore' | 'reset' | 'fault' | 'follow' | 'catalogue' }

const deeds: fc.Arbitrary<readonly Deed[]> = fc
  .tuple(
    actionsUpTo(12),
    fc.array(
      fc.tuple(
        fc.nat(12),
        fc.constantFrom('snapshot', 'restore', 'reset', 'fault', 'follow', 'catalogue'),
      ),
      { maxLength: 6, size: 'max' },
    ),
  )
  .map(([actions, more]) => {
    let all: readonly Deed[] = actions
    for (const [at, kind] of more) all = all.toSpliced(at, 0, { kind })
    return all
  })

/** What a session runs on, besides the deployment. */
const worlds = fc.record({
  clock: fc.constantFrom<NonNullable<EmulatorOptions['clock']>[]>(
    'manual',
    'manual',
    'instant',
    'x50',
  ),
  pace: fc.constantFrom(1, 10),
  script: fc.constantFrom<object[]>(
    {},
    { faults: [{ when: { message: 'progress', probability: 0.5 }, then: { skip: true } }] },
    { faults: [{ when: { message: 'executing', nth: [2, 4, 5] }, then: { swap: true } }] },
    { faults: [{ when: { path: '/prompt', nth: 2 }, then: { status: 500 } }] },
    { faults: [{ when: { path: '/history/*' }, then: { restart: true } }] },
    { messages: [{ type: 'weather', data: { sun: true }, everyMs: 15 }] },
    { nodes: [{ class_type: 'FlowdoubleText', exception_type: 'ValueError' }] },
  ),
})

/** Opens the stream of a new job; its client stays. */
async function follow(subject: Subject): Promise<void> {
  if (subject.deployment === 'local') return
  const { submit, stream } = await v2Of(subject)
  await stream((await submit(textToImage(1, 3))).id as string)
}

/** Plays actions on a server, and returns its inputs. */
async function played(
  actions: readonly Deed[],
  options: EmulatorOptions,
): Promise<{
  readonly steps: readonly Step[]
  readonly emulator: Emulator
  readonly epochMs: number
}> {
  const steps: Step[] = []
  const emulator = await startEmulator({
    ...options,
    onEntry: ({ input, effects }) => steps.push({ input, hash: hashOf(effects) }),
  })
  const { timeMs, nowMs } = (await (await fetch(`${emulator.url}/_flowdouble/clock`)).json()) as {
    readonly timeMs: number
    readonly nowMs: number
  }
  const subject = subjectOf(emulator)
  const side = await createSide(subject)
  const kept = new Set<string>()
  for (const action of actions) {
    // A fault can keep an answer from its client.
    if (action.kind === 'request') await side.ask(action.request).catch(() => undefined)
    else if (action.kind === 'connect' || action.kind === 'disconnect')
      await side[action.kind](action.client)
    else if (action.kind === 'snapshot') kept.add(emulator.snapshot('kept'))
    else if (action.kind === 'restore') for (const name of kept) await emulator.restore(name)
    else if (action.kind === 'reset') await emulator.reset()
    else if (action.kind === 'fault')
      emulator.fault({ when: { path: '/prompt' }, then: { status: 503 }, times: 1 })
    else if (action.kind === 'follow') await follow(subject)
    else if (action.kind === 'catalogue') await subject.get('/object_info')
    else if (action.kind === 'advance' && options.clock === 'manual') await side.advance(action.ms)
  }
  await emulator.close()
  return { steps, emulator, epochMs: timeMs - nowMs }
}

proves('shared/saved-whole', async ({ deployment }) => {
  const sessions = fc.record({
    actions: deeds,
    options: worlds,
    like: fc.constantFrom(null, deployment === 'local' ? 'comfyui-0.27' : null),
  })
  const hosted = deployment === 'hosted' ? await loadHosted() : null
  let count = 0
  await fc.assert(
    fc.asyncProperty(sessions, async ({ actions, options, like }) => {
      const { script, ...given } = options
      const scenario = { version: 1 as const, ...script }
      const { steps, emulator, epochMs } = await played(actions, {
        ...given,
        deployment,
        like,
        scenario,
      })
      const complete = emulator.options
      const linksPort =
        emulator.signedUrl === null ? null : Number(new URL(emulator.signedUrl).port)
      const made = worldOptions(complete, readCatalog(complete, nodeTypeFiles), epochMs, linksPort)
      const codec = createCodec()
      const shared = {
        name: 'one',
        options: complete,
        made,
        hosted,
        hooks: {},
        codec,
        file: null,
        secrets: new Set<string>(),
      }
      const straight = await newParts(shared)
      const saved = (of: Pick<WorldParts, 'server' | 'recorder'>) =>
        Object.assign(savedServer(of, { request: 0, socket: 0 }), {
          name: 'one',
          options: {},
          worldToken: null,
          createdMs: 0,
          savedMs: 0,
        })
      const again = async (of: Pick<WorldParts, 'server' | 'recorder'>): Promise<WorldParts> => {
        const file = wholeFile(writeWorld(saved(of), deployment))
        return newParts({ ...shared, saved: readWorld(file, deployment, 'the file') })
      }
      let interrupted = await again(straight)
      const apply = ({ server, recorder }: WorldParts, input: Input): string => {
        const effects = serverMachine(server).step(input)
        const hash = hashOf(effects)
        recorder.record({ input, effects })
        return hash
      }
      for (const [at, { input, hash }] of steps.entries()) {
        expect([at, apply(straight, input)]).toEqual([at, hash])
        expect([at, apply(interrupted, input)]).toEqual([at, hash])
        interrupted = await again(interrupted)
      }
      // The journal with its placeholders, and the requests.
      expect(await interrupted.recorder.lines()).toEqual(await straight.recorder.lines())
      const [kept, whole] = [await interrupted.recorder.view(), await straight.recorder.view()]
      expect(textOf(kept.requests)).toBe(textOf(whole.requests))
      count += steps.length
    }),
    { seed: 28, numRuns: isLong ? 150 : 15 },
  )
  expect(count).toBeGreaterThan(50)
})
