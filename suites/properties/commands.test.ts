// What holds for every sequence of requests, sockets and time: the server always equals a small model.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Deployment } from '../../spec/language.ts'
import { type Graph, node, slow, talking } from '../generate/graphs.ts'
import { account } from '../judge/hosted/jobs.ts'
import { type AccountModel, createModel, type Model, modelTiers } from '../model/model.ts'
import {
  type AccountClient,
  createAccountClient,
  type Responses,
  responsesOn,
} from '../model/views.ts'
import { startSubject } from '../judge/subject.ts'
import type { Work } from '../model/deployments.ts'
import { runs } from '../support/effort.ts'

/** The accounts of a server; local has one. */
type RealServer = { readonly accounts: readonly AccountClient[]; submits: number }

/** A command that is always possible: it does the same to both, and compares the answers. */
type Command = fc.AsyncCommand<Model, RealServer>
/** What an account does: it becomes a command once its account is known. */
type CommandMaker = (who: number) => Command

const graphOf = (work: Work): Graph => {
  if (work.kind === 'slow') return slow(work.seconds, work.steps)
  if (work.kind === 'talk') return talking(work.text)
  return { '1': node('FlowdoubleFail', { exception_type: 'KeyError', message: 'made to fail' }) }
}

const endOf = /^execution_(success|error|interrupted)$/

/** Both have the same queue, history, jobs and number of runs, and each client was notified of the same ends. */
async function compare(model: AccountModel, own: AccountClient): Promise<void> {
  const { subject, sessions, nameOf } = own
  const responses: Responses = responsesOn[subject.deployment]
  const { queue_running, queue_pending } = (await subject.get('/queue')).json()
  const named = (items: readonly any[][]) => items.map(([place, id]) => [place, nameOf(id)])
  expect([named(queue_running), named(queue_pending)]).toEqual([model.running(), model.pending()])
  const left = model.remaining()
  expect((await subject.get('/prompt')).json().exec_info.queue_remaining).toBe(left)
  const history = responses.entries((await subject.get('/history')).json())
  expect(history.map(([id, entry]) => endingOf(nameOf(id), entry))).toEqual(
    model.history().map(([id, { outcome, isCached }]) => [id, outcome, isCached ? ['1'] : []]),
  )
  await responses.jobs(model, own)
  expect(new Set(sessions.keys())).toEqual(new Set(model.endsByClient().keys()))
  for (const [client, session] of sessions) {
    await session.settled()
    const ends = session.messages().flatMap(({ type, data }) => {
      const end = endOf.exec(type)?.[1]
      return end === undefined ? [] : [`${nameOf(String(data['prompt_id']))} ${end}`]
    })
    expect([client, ends]).toEqual([client, model.endsByClient().get(client)])
    const status = session.messages().findLast(({ type }) => type === 'status')?.data['status']
    expect([client, status]).toEqual([client, { exec_info: { queue_remaining: left } }])
  }
}

/** The name of a run, its outcome and its cached nodes, from its history entry. */
function endingOf(name: string, { status }: any): unknown[] {
  const { status_str, completed, messages } = status
  const [type] = messages.at(-1)
  const outcome = endOf.exec(type)?.[1] ?? type
  const isGood = outcome === 'success'
  expect([status_str, completed]).toEqual([isGood ? 'success' : 'error', isGood])
  return [name, outcome, messages[1][1].nodes]
}

/** An action with its name, as a failure prints it. All accounts are compared after it. */
const deed =
  (
    name: string,
    run: (model: AccountModel, own: AccountClient, real: RealServer, all: Model) => Promise<void>,
  ): CommandMaker =>
  (who) => ({
    check: () => true,
    run: async (model, real) => {
      await run(model.accounts[who]!, real.accounts[who]!, real, model)
      for (const [at, own] of real.accounts.entries()) await compare(model.accounts[at]!, own)
    },
    toString: () => `account ${who}: ${name}`,
  })

type Fields = Omit<Parameters<AccountModel['submit']>[0], 'id'>

const submitted = (fields: Fields): CommandMaker =>
  deed(`submit ${JSON.stringify(fields)}`, async (model, own, real) => {
    const { work, client, ...rest } = fields
    const name = `run ${real.submits++}`
    const client_id = client === null ? {} : { client_id: client }
    const reply = await own.subject.submit(graphOf(work), {
      ...rest,
      ...client_id,
      prompt_id: name,
    })
    const { prompt_id, ...answer } = reply.json()
    // Two runs have two ids, whoever submitted them.
    for (const { nameOf } of real.accounts) expect(nameOf(prompt_id)).toBe(prompt_id)
    own.name(prompt_id, name)
    expect(answer).toEqual({ number: model.submit({ id: name, ...fields }), node_errors: {} })
  })

const refused = deed('submit nothing', async (model, { subject }) => {
  model.refuse()
  expect((await subject.submit({})).status).toBe(400)
})

const advanced = (ms: number): CommandMaker =>
  deed(`advance ${ms}`, async (_model, { subject }, _real, all) => {
    all.advance(ms)
    await subject.emulator?.advance(ms)
  })

/** Removes pending runs: the named ones, or all. */
const removed = (names?: readonly string[]): CommandMaker =>
  deed(`remove ${names?.join(', ') ?? 'all'}`, async (model, own) => {
    const ids = names?.map(own.idOf)
    const reply = await own.subject.post('/queue', ids ? { delete: ids } : { clear: true })
    const gone = names ? model.remove(names) : model.clear()
    const deleted = names ? gone.map(own.idOf) : []
    responsesOn[own.subject.deployment].removed(reply, { deleted, cleared: !names })
  })

/** Forgets entries of the history: the named ones, or all. */
const forgotten = (names?: readonly string[]): CommandMaker =>
  deed(`forget ${names?.join(', ') ?? 'all'}`, async (model, { subject, idOf }) => {
    const change = names ? { delete: names.map(idOf) } : { clear: true }
    const { status, text } = await subject.post('/history', change)
    expect([status, text]).toEqual([200, ''])
    if (names) model.forget(names)
    else model.forgetAll()
  })

const interrupted = (name?: string): CommandMaker =>
  deed(`interrupt ${name ?? ''}`, async (model, { subject, idOf }) => {
    const body = name === undefined ? {} : { prompt_id: idOf(name) }
    const { status } = await subject.post('/interrupt', body)
    expect(status).toBe(model.interrupt(name) ? 200 : 404)
  })

const freed = deed('free', async (model, { subject }) => {
  model.free()
  const { status, text } = await subject.post('/free', { free_memory: true })
  expect([status, text]).toEqual([200, ''])
})

const uploaded = (name: string, content: string, overwrite: boolean): CommandMaker =>
  deed(`upload ${content} as ${name}${overwrite ? ', over it' : ''}`, async (model, own) => {
    const file = { name, bytes: Buffer.from(content) }
    const fields = { overwrite: `${overwrite}`, type: 'input' }
    const reply = (await own.subject.upload(file, fields)).json()
    own.nameFile(reply.name, model.upload(name, content, overwrite))
    expect(reply).toEqual({ name: reply.name, subfolder: '', type: 'input' })
  })

const viewed = (name: string): CommandMaker =>
  deed(`view ${name}`, async (model, own) => {
    const filename = own.fileOf(name)
    expect(await responsesOn[own.subject.deployment].content(own.subject, filename)).toEqual(
      model.view(name),
    )
  })

const disconnected = (client: string): CommandMaker =>
  deed(`disconnect ${client}`, async (model, { sessions }) => {
    await sessions.get(client)?.close()
    sessions.delete(client)
    model.disconnect(client)
  })

const connected = (client: string): CommandMaker =>
  deed(`connect ${client}`, async (model, { subject, sessions, idOf }) => {
    const session = await subject.connect(client)
    // A client that reconnects is there before its old socket is gone.
    await sessions.get(client)?.close()
    sessions.set(client, session)
    await session.settled()
    const ids = model.connect(client).map(idOf)
    responsesOn[subject.deployment].hello(session.messages(), client, ids)
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
/** The ids are those of all accounts: the id of another account is treated as unknown. */
const id = fc.nat({ max: 9 }).map((serial) => `run ${serial}`)
const ids = fc.array(id, { maxLength: 4 })
const content = fc.constantFrom('one', 'two', 'three')

const change: fc.Arbitrary<CommandMaker> = fc.oneof(
  ids.map(removed),
  ids.map(forgotten),
  fc.constantFrom(removed(), removed(), forgotten(), refused),
)
const interrupt = fc.option(id, { nil: undefined, freq: 2 }).map(interrupted)
const stored = ['a', 'a (1)', 'b', 'b (1)', 'the file of one', 'the file of two']
const file: fc.Arbitrary<CommandMaker> = fc.oneof(
  fc.tuple(fc.constantFrom('a', 'b'), content, fc.boolean()).map((one) => uploaded(...one)),
  fc.constantFrom(...stored).map(viewed),
)
const advance = fc.oneof(fc.constantFrom(5, 5, 10, 25, 30, 700), fc.nat(100)).map(advanced)
const socket: fc.Arbitrary<CommandMaker> = fc.oneof(
  { weight: 2, arbitrary: client.map(connected) },
  { weight: 1, arbitrary: client.map(disconnected) },
)

/** The kinds of actions with their weights. */
const deeds: fc.Arbitrary<CommandMaker> = fc.oneof(
  { weight: 4, arbitrary: submit.map(submitted) },
  { weight: 6, arbitrary: advance },
  { weight: 3, arbitrary: socket },
  { weight: 3, arbitrary: interrupt },
  { weight: 2, arbitrary: change },
  { weight: 1, arbitrary: fc.constant(freed) },
  { weight: 1, arbitrary: file },
)

const accounts = modelTiers.map((tier) => account(`key-of-${tier}`, tier))
const options = { local: {}, hosted: { deployment: 'hosted', accounts } } as const

test.each<Deployment>(['local', 'hosted'])(
  'commands/model [%s] The server is at each moment what the model is.',
  async (deployment) => {
    const keys = deployment === 'hosted' ? accounts.map(({ keys: [key = ''] }) => key) : ['']
    const who = fc.nat(keys.length - 1)
    const command = fc.tuple(who, deeds).map(([at, make]) => make(at))
    const sequence = fc.commands([command], { maxCommands: 50, size: 'max' })
    const property = fc.asyncProperty(sequence, async (played) => {
      const subject = await startSubject(options[deployment])
      try {
        const setup = () => ({
          model: createModel(deployment),
          real: { accounts: keys.map((key) => createAccountClient(subject.as(key))), submits: 0 },
        })
        await fc.asyncModelRun(setup, played)
      } finally {
        await subject.close()
      }
    })
    await fc.assert(property, { seed: 20260104, numRuns: runs(keys.length * 25) })
  },
)
