// What holds for every sequence of submits and removals: the queue is the list that a small model keeps.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { talking } from '../graphs.ts'
import { startSubject, type Subject } from '../subject.ts'

type Pending = { readonly id: string; readonly number: number }
type Submit = { readonly kind: 'submit'; readonly number?: number; readonly front: boolean }
type Command =
  | Submit
  | { readonly kind: 'refused' | 'start' | 'clear' }
  | { readonly kind: 'delete'; readonly ids: readonly string[] }

const number = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.5, -1e300, 2 ** 53))
const submit: fc.Arbitrary<Submit> = fc.record(
  { kind: fc.constant('submit' as const), number, front: fc.boolean() },
  { requiredKeys: ['kind', 'front'] },
)
const ids = fc.array(
  fc.nat({ max: 15 }).map((serial) => `run ${serial}`),
  { maxLength: 4 },
)
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 10, arbitrary: submit },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), ids }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('refused', 'start', 'start') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
)

/** The queue as a sorted list: no heap, no holes. */
function createModel() {
  let pending: Pending[] = []
  let counter = 0
  return {
    ids: () => pending.map(({ id }) => id),
    submit: (id: string, { number: own, front }: Submit) => {
      const given = own ?? (front ? 0 - counter : counter)
      if (own === undefined) counter++
      const place = pending.findIndex((other) => other.number > given)
      pending.splice(place < 0 ? pending.length : place, 0, { id, number: given })
      return given
    },
    refuse: () => void counter++,
    remove: (gone: readonly string[]) => {
      pending = pending.filter(({ id }) => !gone.includes(id))
    },
    clear: () => void (pending = []),
    start: () => pending.shift()?.id,
  }
}

/** Plays the commands on a server and on the model, and compares the queue after each, and at the end the history. */
async function play(commands: readonly Command[], subject: Subject): Promise<void> {
  const { connect, get, idle, post, reach, submit: send } = subject
  const session = await connect('me')
  const model = createModel()
  const started: string[] = []
  for (const [serial, one] of commands.entries()) {
    if (one.kind === 'submit') {
      const { kind: _, ...fields } = one
      const id = `run ${serial}`
      const reply = await send(talking(id), { ...fields, prompt_id: id, client_id: 'me' })
      expect(reply.json().number).toBe(model.submit(id, one))
    } else if (one.kind === 'refused') {
      model.refuse()
      expect((await send({})).status).toBe(400)
    } else if (one.kind === 'start') {
      const id = model.start()
      if (id === undefined) continue
      started.push(id)
      const isStart = (type: string) => type === 'execution_start'
      await reach(session, ({ type, data }) => isStart(type) && data['prompt_id'] === id)
    } else if (one.kind === 'delete') {
      await post('/queue', { delete: one.ids })
      model.remove(one.ids)
    } else {
      await post('/queue', { clear: true })
      model.clear()
    }
    const { queue_pending, queue_running } = (await get('/queue')).json()
    expect(queue_pending.map(([, id]: [number, string]) => id)).toEqual(model.ids())
    expect(queue_running.map(([, id]: [number, string]) => id)).toEqual(started.slice(-1))
  }
  await idle()
  expect(Object.keys((await get('/history')).json())).toEqual([...started, ...model.ids()])
}

test('queue/model The queue and the order of the runs are those of a sorted list.', async () => {
  const property = fc.asyncProperty(fc.array(command, { maxLength: 16 }), async (commands) => {
    const subject = await startSubject()
    try {
      await play(commands, subject)
    } finally {
      await subject.close()
    }
  })
  await fc.assert(property, { seed: 20260102, numRuns: 50 })
})
