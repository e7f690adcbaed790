// Whole sessions with a world whose object is thrown away after each action, beside one that is left alone: clients see no
// difference.

import * as fc from 'fast-check'
import type { Emulator, EmulatorOptions } from 'flowdouble'
import type { Deployment } from '../../../spec/language.ts'
import { type Action, actionsUpTo } from '../../generate/actions.ts'
import { isMessage, type Session } from '../../judge/client.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { type Subject, subjectOf } from '../../judge/subject.ts'
import { createSide } from '../../parity/two-servers.ts'
import { runs } from '../../support/effort.ts'
import { ask, evict, type Eviction, onWorker, requireWorkerd, type WorkerWorld } from './workerd.ts'

/** What clients do, and what a test does beside them. */
type Deed = Action | { readonly kind: 'snapshot' | 'restore' | 'reset' | 'fault' }

const deeds: fc.Arbitrary<readonly Deed[]> = fc
  .tuple(
    actionsUpTo(12),
    fc.array(fc.tuple(fc.nat(12), fc.constantFrom('snapshot', 'restore', 'reset', 'fault')), {
      maxLength: 4,
    }),
  )
  .map(([actions, more]) => {
    let all: readonly Deed[] = actions
    for (const [at, kind] of more) all = all.toSpliced(at, 0, { kind })
    return all
  })

const worlds = fc.record({
  clock: fc.constantFrom<NonNullable<EmulatorOptions['clock']>[]>('manual', 'manual', 'instant'),
  pace: fc.constantFrom(1, 10),
  scenario: fc.constantFrom<object[]>(
    { version: 1 },
    { version: 1, faults: [{ when: { path: '/prompt', nth: 2 }, then: { status: 500 } }] },
    {
      version: 1,
      faults: [{ when: { message: 'progress', probability: 0.5 }, then: { skip: true } }],
    },
  ),
})

/** The options of a world. */
type World = { readonly clock: string }

/** A world of the worker as a subject. */
function subjectAt({ url, worldToken }: WorkerWorld, deployment: Deployment): Subject {
  const control = (path: string, value: object) =>
    ask('POST', `${url}/_flowdouble/${path}`, worldToken, value)
  const emulator = {
    url,
    options: { deployment, clock: 'manual', token: null },
    advance: (ms: number) => control('advance', { ms }),
    until: () => control('advance', { until: 'idle' }),
    close: () => Promise.resolve(),
  }
  return subjectOf(emulator as unknown as Emulator)
}

/** Does deeds on a world, and `between` after each. Returns what clients see, and the journal. */
async function played(
  actions: readonly Deed[],
  world: WorkerWorld,
  deployment: Deployment,
  clock: string,
  between: () => Promise<void>,
): Promise<{ readonly seen: readonly unknown[]; readonly journal: string }> {
  const { url, worldToken } = world
  const subject = subjectAt(world, deployment)
  const side = await createSide(subject)
  const sessions = new Map<string, Session>()
  const all: Session[] = []
  const control = (path: string, value: object = {}) =>
    ask('POST', `${url}/_flowdouble/${path}`, worldToken, value)
  const act = async (action: Deed): Promise<unknown> => {
    if (action.kind === 'request') return side.ask(action.request)
    if (action.kind === 'connect') {
      const session = await subject.connect(action.client)
      sessions.set(action.client, session)
      all.push(session)
      return null
    }
    if (action.kind === 'disconnect') {
      await sessions.get(action.client)?.close()
      sessions.delete(action.client)
      return null
    }
    if (action.kind === 'advance') {
      if (clock !== 'manual') return null
      // How many messages there were depends on the sockets.
      const { status, json } = await control('advance', { ms: action.ms })
      return [status, json.nowMs]
    }
    if (action.kind === 'fault')
      return control('faults', { when: { path: '/prompt' }, then: { status: 503 }, times: 1 })
    return control(action.kind, action.kind === 'reset' ? {} : { name: 'kept' })
  }
  const seen: unknown[] = []
  for (const action of actions) {
    seen.push(action.kind, await act(action))
    await between()
  }
  // What was sent to a socket is here when its close is answered.
  for (const session of all) await session.close()
  const journal = await fetch(`${url}/_flowdouble/journal`, {
    headers: { Authorization: `Bearer ${worldToken}` },
  })
  const text = await journal.text()
  for (const { received } of all)
    seen.push(received.map((item) => (isMessage(item) ? item : [item.frame, item.fields])))
  await subject.close()
  return { seen, journal: text }
}

/** A value without the name of its world, and without the key of its placeholders. */
function named(value: unknown): string {
  const placeholders: string[] = []
  return JSON.stringify(value)
    .replaceAll('again', 'whole')
    .replaceAll(/<[0-9a-f]+>/g, (placeholder) => {
      if (!placeholders.includes(placeholder)) placeholders.push(placeholder)
      return `<secret ${placeholders.indexOf(placeholder)}>`
    })
}

const isAboutSockets = ({ kind }: Deed): boolean => kind === 'connect' || kind === 'disconnect'

proves('shared/worker-evicted', async ({ deployment }) => {
  requireWorkerd()
  const options = { deployment }
  await onWorker({ options, snapshotInputs: 5 }, async ({ create }) => {
    let number = 0
    const compared = async (actions: readonly Deed[], given: World, how: Eviction) => {
      number++
      const [whole, gone] = [
        await create(`whole-${number}`, given),
        await create(`again-${number}`, given),
      ]
      const rest = (): Promise<void> => Promise.resolve()
      const straight = await played(actions, whole, deployment, given.clock, rest)
      const evicted = await played(actions, gone, deployment, given.clock, () => evict(gone, how))
      expect(named(evicted.seen)).toBe(named(straight.seen))
      if (how === 'sleep') expect(named(evicted.journal)).toBe(named(straight.journal))
    }
    const sessions = fc.record({ actions: deeds, given: worlds })
    await fc.assert(
      fc.asyncProperty(sessions, ({ actions, given }) => compared(actions, given, 'sleep')),
      { seed: 28, numRuns: runs(75) },
    )
    // An object that is thrown away in its work takes its sockets with it.
    await fc.assert(
      fc.asyncProperty(sessions, ({ actions, given }) =>
        compared(
          actions.filter((one) => !isAboutSockets(one)),
          given,
          'abort',
        ),
      ),
      { seed: 28, numRuns: runs(75) },
    )
  })
})
