// What holds for every sequence of requests, sockets and time: the server is at each moment what a small model is.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Session } from '../client.ts'
import { viewPath } from '../form.ts'
import { type Graph, node, slow, talking } from '../graphs.ts'
import { createModel, type Model, type Submit, type Work } from '../model.ts'
import { startSubject, type Subject } from '../subject.ts'

/** A server with the sockets of its clients, and how many runs were submitted. */
type Real = { readonly subject: Subject; readonly sessions: Map<string, Session>; submits: number }

/** A command that is always possible: it does the same to both, and holds the answers against each other. */
type Command = fc.AsyncCommand<Model, Real>

const graphOf = (work: Work): Graph => {
  if (work.kind === 'slow') return slow(work.seconds, work.steps)
  if (work.kind === 'talk') return talking(work.text)
  return { '1': node('FlowdoubleFail', { exception_type: 'KeyError', message: 'made to fail' }) }
}

const endOf = /^execution_(success|error|interrupted)$/

/** Both tell the same queue, history and number of runs, and each client has heard of the same ends. */
async function compare(model: Model, { subject, sessions }: Real): Promise<void> {
  const { queue_running, queue_pending } = (await subject.get('/queue')).json()
  const told = (items: readonly unknown[][]) => items.map((item) => item.slice(0, 2))
  expect([told(queue_running), told(queue_pending)]).toEqual([model.running(), model.pending()])
  const left = model.remaining()
  expect((await subject.get('/prompt')).json().exec_info.queue_remaining).toBe(left)
  const history: [string, any][] = Object.entries((await subject.get('/history')).json())
  expect(history.map(endingOf)).toEqual(
    model.history().map(([id, { outcome, isCached }]) => [id, outcome, isCached ? ['1'] : []]),
  )
  expect(new Set(sessions.keys())).toEqual(new Set(model.heard().keys()))
  for (const [client, session] of sessions) {
    await session.settled()
    const ends = session.messages().flatMap(({ type, data }) => {
      const end = endOf.exec(type)?.[1]
      return end === undefined ? [] : [`${String(data['prompt_id'])} ${end}`]
    })
    expect([client, ends]).toEqual([client, model.heard().get(client)])
    const status = session.messages().findLast(({ type }) => type === 'status')?.data['status']
    expect([client, status]).toEqual([client, { exec_info: { queue_remaining: left } }])
  }
}

/** The id of a run, its outcome and its cached nodes, as its history entry tells them. */
function endingOf([id, { status }]: [id: string, entry: any]): unknown[] {
  const { status_str, completed, messages } = status
  const [type] = messages.at(-1)
  const outcome = endOf.exec(type)?.[1] ?? type
  const isGood = outcome === 'success'
  expect([status_str, completed]).toEqual([isGood ? 'success' : 'error', isGood])
  return [id, outcome, messages[1][1].nodes]
}

/** A command with its name, as a failure prints it. */
const command = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run: async (model, real) => {
    await run(model, real)
    await compare(model, real)
  },
  toString: () => name,
})

const submitted = (fields: Omit<Submit, 'id'>): Command =>
  command(`submit ${JSON.stringify(fields)}`, async (model, real) => {
    const { work, client, ...rest } = fields
    const id = `run ${real.submits++}`
    const client_id = client === null ? {} : { client_id: client }
    const body = { ...rest, ...client_id, prompt_id: id }
    const reply = await real.subject.submit(graphOf(work), body)
    expect(reply.json()).toEqual({
      prompt_id: id,
      number: model.submit({ id, ...fields }),
      node_errors: {},
    })
  })

const refused = command('submit nothing', async (model, { subject }) => {
  model.refuse()
  expect((await subject.submit({})).status).toBe(400)
})

const advanced = (ms: number): Command =>
  command(`advance ${ms}`, async (model, { subject }) => {
    model.advance(ms)
    await subject.emulator?.advance(ms)
  })

/** Posts a value, which is answered with nothing. */
const posted = (path: string, value: object, then: (model: Model) => void): Command =>
  command(`${path} ${JSON.stringify(value)}`, async (model, { subject }) => {
    then(model)
    const { status, text } = await subject.post(path, value)
    expect([status, text]).toEqual([200, ''])
  })

const uploaded = (name: string, content: string, overwrite: boolean): Command =>
  command(`upload ${content} as ${name}${overwrite ? ', over it' : ''}`, async (model, real) => {
    const file = { name, bytes: Buffer.from(content) }
    const reply = await real.subject.upload(file, { overwrite: `${overwrite}` })
    const stored = model.upload(name, content, overwrite)
    expect(reply.json()).toEqual({ name: stored, subfolder: '', type: 'input' })
  })

const viewed = (filename: string): Command =>
  command(`view ${filename}`, async (model, { subject }) => {
    const { status, text } = await subject.get(viewPath({ filename, type: 'input' }))
    const content = model.view(filename)
    expect([status, text]).toEqual(content === undefined ? [404, ''] : [200, content])
  })

const disconnected = (client: string): Command =>
  command(`disconnect ${client}`, async (model, { sessions }) => {
    await sessions.get(client)?.close()
    sessions.delete(client)
    model.disconnect(client)
  })

const connected = (client: string): Command =>
  command(`connect ${client}`, async (model, { subject, sessions }) => {
    const session = await subject.connect(client)
    // A client that comes back is there before its old socket is gone.
    await sessions.get(client)?.close()
    sessions.set(client, session)
    await session.settled()
    const isAtWork = model.connect(client)
    const [first, ...more] = session.messages()
    expect(first?.data['sid']).toBe(client)
    expect(more).toEqual(isAtWork ? [{ type: 'executing', data: { node: '1' } }] : [])
  })

const slowWork = fc.record({
  kind: fc.constant('slow' as const),
  seconds: fc.constantFrom(0.05, 0.2, 1),
  steps: fc.constantFrom(1, 2, 5),
})
/** Often the same text, so that it is in the cache. */
const text = fc.constantFrom('one', 'one', 'one', 'two')
const work: fc.Arbitrary<Work> = fc.oneof(
  { weight: 3, arbitrary: slowWork },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('talk' as const), text }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'fail' as const }) },
)
const client = fc.constantFrom('me', 'you')
const number = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constant(0.5))
const submit = fc.record(
  { work, client: fc.option(client), front: fc.boolean(), number },
  { requiredKeys: ['work', 'client', 'front'] },
)
const id = fc.nat({ max: 9 }).map((serial) => `run ${serial}`)
const ids = fc.array(id, { maxLength: 4 })
const name = fc.constantFrom('a', 'b')
const content = fc.constantFrom('one', 'two', 'three')

const change: fc.Arbitrary<Command> = fc.oneof(
  ids.map((ids) => posted('/queue', { delete: ids }, (model) => model.remove(ids))),
  ids.map((ids) => posted('/history', { delete: ids }, (model) => model.forget(ids))),
  fc.constant(posted('/queue', { clear: true }, (model) => model.clear())),
  fc.constant(posted('/history', { clear: true }, (model) => model.forgetAll())),
  fc.constant(refused),
)
const interrupt = fc
  .option(id, { nil: undefined })
  .map((prompt_id) =>
    posted('/interrupt', prompt_id === undefined ? {} : { prompt_id }, (model) =>
      model.interrupt(prompt_id),
    ),
  )
const file: fc.Arbitrary<Command> = fc.oneof(
  fc.tuple(name, content, fc.boolean()).map((file) => uploaded(...file)),
  fc.constantFrom('a', 'a (1)', 'b', 'b (1)').map(viewed),
)
const advance = fc.oneof(fc.constantFrom(5, 25, 25, 35, 700), fc.nat(300)).map(advanced)
const socket: fc.Arbitrary<Command> = fc.oneof(
  { weight: 2, arbitrary: client.map(connected) },
  { weight: 1, arbitrary: client.map(disconnected) },
)
const free = fc.constant(posted('/free', { free_memory: true }, (model) => model.free()))

/** The kinds of commands; those that stand here more than once come more often. */
const commands: fc.Arbitrary<Command>[] = [
  ...Array.from({ length: 4 }, () => submit.map(submitted)),
  ...Array.from({ length: 6 }, () => advance),
  socket,
  socket,
  interrupt,
  interrupt,
  change,
  free,
  free,
  file,
]

test('commands/model The server is at each moment what the model is.', async () => {
  const sequence = fc.commands(commands, { maxCommands: 40, size: 'max' })
  const property = fc.asyncProperty(sequence, async (played) => {
    const subject = await startSubject()
    try {
      const setup = () => ({
        model: createModel(),
        real: { subject, sessions: new Map<string, Session>(), submits: 0 },
      })
      await fc.asyncModelRun(setup, played)
    } finally {
      await subject.close()
    }
  })
  await fc.assert(property, { seed: 20260104, numRuns: 30 })
})
