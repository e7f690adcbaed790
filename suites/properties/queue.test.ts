// What holds for every sequence of submits and removals: the queue equals the list of a small model.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { both, type Deployment } from '../../spec/language.ts'
import { talking } from '../generate/graphs.ts'
import { isOf, nobody, oneAtATimeOn } from '../judge/hosted/jobs.ts'
import { startSubject, type Subject } from '../judge/subject.ts'
import { runs } from '../support/effort.ts'
import { assertSessions } from '../support/kept-sessions.ts'
import { listedIds } from '../judge/responses.ts'

type PendingRun = { readonly id: string; readonly number: number }
type Submit = { readonly kind: 'submit'; readonly number?: number; readonly front: boolean }
type Command =
  | Submit
  | { readonly kind: 'refused' | 'start' | 'clear' }
  | { readonly kind: 'delete'; readonly serials: readonly number[] }

const number = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.5, -1e300, 2 ** 53))
const submit: fc.Arbitrary<Submit> = fc.record(
  { kind: fc.constant('submit' as const), number, front: fc.boolean() },
  { requiredKeys: ['kind', 'front'] },
)
const serials = fc.array(fc.nat({ max: 15 }), { maxLength: 4 })
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 10, arbitrary: submit },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), serials }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('refused', 'start', 'start') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
)

/** The differences: on hosted the submit does not choose its place, and only runs are counted. */
const manners = {
  local: {
    numberOf: ({ number: own, front }: Submit, counter: number) =>
      own ?? (front ? 0 - counter : counter),
    counts: ({ number: own }: Submit) => own === undefined,
    countsRefused: true,
  },
  hosted: {
    numberOf: (_: Submit, counter: number) => counter,
    counts: () => true,
    countsRefused: false,
  },
} as const

/** The queue as a sorted list: no heap, no holes. */
function createModel({ numberOf, counts, countsRefused }: (typeof manners)[Deployment]) {
  let pending: PendingRun[] = []
  let counter = 0
  return {
    ids: () => pending.map(({ id }) => id),
    submit: (id: string, one: Submit) => {
      const given = numberOf(one, counter)
      if (counts(one)) counter++
      const place = pending.findIndex((other) => other.number > given)
      pending.splice(place < 0 ? pending.length : place, 0, { id, number: given })
      return given
    },
    refuse: () => void (counter += countsRefused ? 1 : 0),
    remove: (gone: readonly string[]) => {
      pending = pending.filter(({ id }) => !gone.includes(id))
    },
    clear: () => void (pending = []),
    start: () => pending.shift()?.id,
  }
}

/** Plays the commands on a server and on the model, and compares the queue after each, and at the end the history. */
async function play(commands: readonly Command[], subject: Subject): Promise<void> {
  const { connect, deployment, history, idle, post, reach, submit: send } = subject
  const session = await connect('me')
  const model = createModel(manners[deployment])
  const ids = new Map<number, string>()
  const started: string[] = []
  for (const [serial, one] of commands.entries()) {
    if (one.kind === 'submit') {
      const { kind: _, ...fields } = one
      const reply = await send(talking(`run ${serial}`), { ...fields, client_id: 'me' })
      const { prompt_id, number: given } = reply.json()
      ids.set(serial, prompt_id)
      expect(given).toBe(model.submit(prompt_id, one))
    } else if (one.kind === 'refused') {
      model.refuse()
      expect((await send({})).status).toBe(400)
    } else if (one.kind === 'start') {
      const id = model.start()
      if (id === undefined) continue
      started.push(id)
      await reach(session, isOf('execution_start', id))
    } else if (one.kind === 'delete') {
      const gone = one.serials.map((known) => ids.get(known) ?? nobody)
      await post('/queue', { delete: gone })
      model.remove(gone)
    } else {
      await post('/queue', { clear: true })
      model.clear()
    }
    const { running, pending } = await listedIds(subject)
    expect(pending).toEqual(model.ids())
    expect(running).toEqual(started.slice(-1))
  }
  await idle()
  expect(await history()).toEqual([...started, ...model.ids()])
}

test.each(both)(
  'queue/model on %s The queue and the order of the runs are those of a sorted list.',
  async (deployment) => {
    await assertSessions(
      {
        title: `queue/model on ${deployment}`,
        sessions: fc.array(command, { maxLength: 16 }),
        start: () => startSubject(oneAtATimeOn(deployment)),
        play,
      },
      { seed: 20260102, numRuns: runs(50) },
    )
  },
)
