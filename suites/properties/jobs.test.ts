// What holds for every sequence of submits, cancels and time, of several accounts: each job follows the table of its
// states, and its status, the list, the detail, the queue, the history and the socket agree about it.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { tiers } from '../../spec/server/access.ts'
import { type JobStatus, jobTransitions } from '../../spec/server/jobs.ts'
import type { Session } from '../judge/client.ts'
import { failing, type Graph, slow, talking } from '../generate/graphs.ts'
import { account, detailOf, listOf, wordOf } from '../judge/hosted/jobs.ts'
import { startSubject, type Subject } from '../judge/subject.ts'
import { runs } from '../support/effort.ts'
import { listedIds } from '../judge/responses.ts'

/** Accounts with different numbers of workers. */
const accounts = [account('key-one', 'standard'), account('key-two', 'creator')]

/** One account: its server, and the observed state of its jobs. */
type Side = {
  readonly subject: Subject
  readonly session: Session
  readonly runsAtATime: number
  /** In the order of the submits. */
  readonly ids: string[]
  readonly words: Map<string, JobStatus>
  /** Those that a request has cancelled: they no longer complete. */
  readonly cancelled: Set<string>
  readonly deleted: Set<string>
  readonly forgotten: Set<string>
}

type Act = (side: Side) => Promise<void>
type Command = {
  readonly name: string
  readonly side: number
  readonly act: Act
  /** Whether time passes: then a job may walk several steps. */
  readonly takesTime: boolean
}

/** Most of them run long enough for a request to meet them. */
const graphs: readonly Graph[] = [
  slow(0.1, 2),
  slow(1, 4),
  slow(2, 4),
  talking(),
  failing('OOMError'),
]

const submit =
  (graph: number): Act =>
  async ({ subject, ids }) => {
    const reply = await subject.submit(graphs[graph] as Graph)
    expect(reply.status).toBe(200)
    ids.push(reply.json().prompt_id)
  }

/** The ids of jobs by their places, counted from the newest; those that do not exist are left out. */
const named = ({ ids }: Side, places: readonly number[]): string[] =>
  places.flatMap((place) => ids.at(-1 - place) ?? [])

const isOpen = (word: JobStatus | undefined): boolean =>
  word === 'pending' || word === 'in_progress'

const cancelOne =
  (place: number): Act =>
  async (side) => {
    for (const id of named(side, [place])) {
      const reply = await side.subject.request('POST', `/jobs/${id}/cancel`)
      const takesEffect = isOpen(side.words.get(id)) && !side.cancelled.has(id)
      if (side.deleted.has(id)) expect(reply.status).toBe(404)
      else expect(reply.json()).toEqual({ cancelled: takesEffect })
      if (takesEffect) side.cancelled.add(id)
    }
  }

const cancelMany =
  (places: readonly number[]): Act =>
  async (side) => {
    const job_ids = named(side, places)
    const reply = await side.subject.post('/jobs/cancel', { job_ids })
    if (job_ids.length === 0) return expect(reply.status).toBe(400)
    if (job_ids.some((id) => side.deleted.has(id))) return expect(reply.status).toBe(404)
    const open = [...new Set(job_ids)].filter(
      (id) => isOpen(side.words.get(id)) && !side.cancelled.has(id),
    )
    expect(reply.json()).toEqual({ cancelled: open })
    for (const id of open) side.cancelled.add(id)
  }

const interrupt =
  (place: number | undefined): Act =>
  async (side) => {
    const [prompt_id] = place === undefined ? [] : named(side, [place])
    const { running } = await listedIds(side.subject)
    const { status } = await side.subject.post('/interrupt', { prompt_id })
    expect(status).toBe(prompt_id !== undefined && side.deleted.has(prompt_id) ? 404 : 200)
    const meant = prompt_id ?? running.find((id) => !side.cancelled.has(id))
    if (meant !== undefined && isOpen(side.words.get(meant))) side.cancelled.add(meant)
  }

const changeQueue =
  (places: readonly number[], clear: boolean): Act =>
  async (side) => {
    const ids = [...new Set(named(side, places))]
    const { pending } = await listedIds(side.subject)
    const reply = await side.subject.post('/queue', { delete: ids, clear })
    const deleted = ids.filter((id) => pending.includes(id))
    expect(reply.json()).toEqual({ deleted, cleared: clear })
    for (const id of clear ? pending : deleted) side.cancelled.add(id)
  }

const changeHistory =
  (places: readonly number[], clear: boolean): Act =>
  async (side) => {
    const ids = named(side, places)
    await side.subject.post('/history', { delete: ids, clear })
    for (const id of clear ? side.ids : ids) if (!isOpen(side.words.get(id))) side.forgotten.add(id)
  }

const remove =
  (place: number): Act =>
  async (side) => {
    for (const id of named(side, [place])) {
      expect((await side.subject.request('DELETE', `/jobs/${id}`)).status).toBe(204)
      if (!isOpen(side.words.get(id))) side.deleted.add(id)
    }
  }

const advance =
  (ms: number): Act =>
  async ({ subject }) => {
    await subject.emulator?.advance(ms)
  }

/** The state of a run according to the socket. */
function wordOnSocket({ session }: Side, id: string): JobStatus {
  const own = session.messages().filter(({ data }) => data['prompt_id'] === id)
  const types = new Set(own.map(({ type }) => type))
  if (types.has('execution_interrupted')) return 'cancelled'
  if (types.has('execution_error')) return 'failed'
  if (types.has('execution_success')) return 'completed'
  return types.has('execution_start') ? 'in_progress' : 'pending'
}

/** Whether a job can get from one word to another by so many steps of the table. */
const leads = (from: JobStatus, to: JobStatus, steps: number): boolean =>
  from === to || (steps > 0 && jobTransitions[from].some((next) => leads(next, to, steps - 1)))

/** Every place reports the same jobs of an account, and no job took a transition that does not exist. */
async function compare(side: Side, takesTime: boolean, isLast = false): Promise<void> {
  const { subject, session, words, deleted, forgotten, runsAtATime } = side
  await session.settled()
  const before = new Map(words)
  const ids = side.ids.filter((id) => !deleted.has(id))
  const { jobs, pagination } = await listOf(subject)
  expect([jobs.map(({ id }: any) => id), pagination.total]).toEqual([ids.toReversed(), ids.length])
  for (const { id, status } of jobs as { id: string; status: JobStatus }[]) {
    expect([id, status]).toEqual([id, wordOnSocket(side, id)])
    expect(leads(words.get(id) ?? 'pending', status, takesTime ? 2 : 1)).toBe(true)
    words.set(id, status)
    if (status === 'completed') expect(side.cancelled.has(id)).toBe(false)
  }
  const having = (word: JobStatus): string[] => ids.filter((id) => words.get(id) === word)
  const [running, pending] = [having('in_progress'), having('pending')]
  expect(await listedIds(subject)).toEqual({ running, pending })
  expect(running.length).toBeLessThanOrEqual(runsAtATime)
  const reported = (await subject.get('/prompt')).json().exec_info.queue_remaining
  expect(reported).toBe(running.length + pending.length)
  const status = session.messages().findLast(({ type }) => type === 'status')?.data['status']
  expect(status).toEqual({ exec_info: { queue_remaining: reported } })
  const begun = new Set(
    session
      .messages()
      .flatMap(({ type, data }) => (type === 'execution_start' ? data['prompt_id'] : [])),
  )
  const kept = ids.filter((id) => !isOpen(words.get(id)) && begun.has(id) && !forgotten.has(id))
  const { history } = (await subject.get('/history')).json()
  expect(history.map(({ prompt_id }: any) => prompt_id)).toEqual(kept.toReversed())
  const held = pending.slice(runsAtATime - running.length)
  // A job that had ended before is checked again at the end.
  const isNews = (id: string): boolean => isOpen(before.get(id)) || isOpen(words.get(id))
  const judge = async (id: string): Promise<void> => {
    expect(await wordOf(subject, id)).toBe(words.get(id))
    const detail = await detailOf(subject, id)
    expect(detail.status).toBe(words.get(id))
    expect('outputs' in detail).toBe(!isOpen(detail.status))
    expect('execution_error' in detail).toBe(detail.status === 'failed')
    const place = held.includes(id) ? held.indexOf(id) + 1 : null
    expect(detail.queue_position).toBe(place)
    const isTold = kept.includes(id) || running.includes(id)
    expect((await subject.get(`/history/${id}`)).status).toBe(isTold ? 200 : 404)
  }
  await Promise.all(ids.filter((id) => isLast || isNews(id)).map(judge))
}

async function sideOf(
  shared: Subject,
  { keys: [key], tier }: (typeof accounts)[number],
): Promise<Side> {
  const subject = shared.as(key as string)
  return {
    subject,
    session: await subject.connect(),
    runsAtATime: tiers[tier].runsAtATime,
    ids: [],
    words: new Map(),
    cancelled: new Set(),
    deleted: new Set(),
    forgotten: new Set(),
  }
}

/** No message is about a run of another account. */
function judgeReceivers({ session, ids }: Side): void {
  const reported = session.messages().flatMap(({ data }) => data['prompt_id'] ?? [])
  expect(reported.filter((id) => !ids.includes(id as string))).toEqual([])
}

async function play(commands: readonly Command[], shared: Subject): Promise<void> {
  const sides = await Promise.all(accounts.map((account) => sideOf(shared, account)))
  for (const { side, act, takesTime } of commands) {
    await act(sides[side] as Side)
    await Promise.all(sides.map((one) => compare(one, takesTime)))
  }
  await shared.idle()
  for (const side of sides) {
    await compare(side, true, true)
    expect([...side.words.values()].filter(isOpen)).toEqual([])
    for (const id of side.cancelled) expect(['cancelled', 'failed']).toContain(side.words.get(id))
    judgeReceivers(side)
  }
}

const place = fc.nat(6)
const places = fc.array(place, { maxLength: 3 })
const isClear = fc.boolean()
const kinds = {
  submit: { weight: 7, args: fc.tuple(fc.nat(graphs.length - 1)), act: submit },
  advance: { weight: 5, args: fc.tuple(fc.constantFrom(5, 25, 30, 30, 300)), act: advance },
  cancel: { weight: 3, args: fc.tuple(place), act: cancelOne },
  'cancel many': { weight: 1, args: fc.tuple(places), act: cancelMany },
  interrupt: {
    weight: 3,
    args: fc.tuple(fc.option(place, { nil: undefined, freq: 2 })),
    act: interrupt,
  },
  queue: { weight: 1, args: fc.tuple(places, isClear), act: changeQueue },
  history: { weight: 1, args: fc.tuple(places, isClear), act: changeHistory },
  delete: { weight: 1, args: fc.tuple(place), act: remove },
} as const

const command: fc.Arbitrary<Command> = fc.oneof(
  ...Object.entries(kinds).map(([kind, { weight, args, act }]) => ({
    weight,
    arbitrary: fc
      .tuple(args as fc.Arbitrary<any[]>, fc.nat(accounts.length - 1))
      .map(([given, side]): Command => ({
        name: `${kind} ${JSON.stringify(given)} of ${side}`,
        side,
        act: (act as (...all: readonly unknown[]) => Act)(...given),
        takesTime: kind === 'advance',
      })),
  })),
)

test('jobs/one-story Each job follows the table of states, and all places agree about it.', async () => {
  const sequences = fc.array(command, { minLength: 12, maxLength: 30, size: 'max' })
  const property = fc.asyncProperty(sequences, async (commands) => {
    const subject = await startSubject({ deployment: 'hosted', accounts })
    try {
      await play(commands, subject)
    } finally {
      await subject.close()
    }
  })
  await fc.assert(property, { seed: 20260105, numRuns: runs(20) })
})
