// Gateways that share a PostgreSQL database: at PGHOST, or on this machine.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentRun, Delivery, Gateway } from 'flowdouble'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { gatewayCommand } from '../../../dist/emulator/internal.js'
import { folder as newFolder } from '../../support/folder.ts'
import { outputOf } from '../../support/in-process.ts'
import { postText, startBeside, startStored } from '../../support/stores/gateways.ts'
import { inServer, newDatabase } from '../../support/stores/postgres.ts'

const real = { clock: 'real', epoch: 'now', leaseMs: 10_000 } as const

/** Resolves when something holds for the entries of outboxes. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
}

const texts = (gateways: readonly Gateway[]): readonly string[] =>
  gateways
    .flatMap((gateway) => gateway.outbox())
    .filter(({ status }) => status === 'delivered')
    .map(({ text }) => text)
    .toSorted()

proves('store/shared', async () => {
  const { url } = await newDatabase()
  const never = (): Promise<string> => new Promise(() => undefined)
  const first = await startStored(url, { ...real, rateLimit: 8 })
  const busy = await startStored(url, { ...real, rateLimit: 8, agent: never, agentsAtOnce: 1 })
  // What the second one has no agent for goes to the first.
  for (const id of ['a', 'b', 'c']) expect((await postText(busy, 'ci', id, id)).status).toBe(202)
  await until(() => texts([first]).length === 2)
  expect(texts([first])).toEqual(['b', 'c'])
  // The ids of one are known to the other, and both have one limit.
  expect((await postText(first, 'ci', 'a', 'a')).json).toMatchObject({ status: 'duplicate' })
  for (const id of ['d', 'e', 'f', 'g'])
    expect((await postText(first, 'ci', id, id)).status).toBe(202)
  expect((await postText(busy, 'ci', 'h', 'h')).status).toBe(429)
  await Promise.all([first.close(), busy.close()])
})

proves('store/work', async () => {
  const { url, name } = await newDatabase()
  const receiver = await startStored(url, {
    ...real,
    agent: () => new Promise(() => undefined),
    agentsAtOnce: 1,
  })
  const stop = new AbortController()
  const folder = newFolder()
  writeFileSync(join(folder, 'config.yaml'), 'platforms:\n  webhook:\n    enabled: true\n')
  const io = { env: { FLOWDOUBLE_HOME: folder }, signal: stop.signal }
  const agent = ['--agent-command', process.execPath, '--agent-command=-e']
  const working = outputOf(
    gatewayCommand,
    ['work', '--store', url, ...agent, '--agent-command=console.log("done")'],
    io,
  )
  for (const id of ['a', 'b']) expect((await postText(receiver, 'ci', id, id)).status).toBe(202)
  await until(async () => {
    const [row] = await inServer(
      'SELECT state FROM flowdouble_runs WHERE delivery_id = \'"b"\'',
      name,
    )
    return row?.state === 'delivered'
  })
  stop.abort()
  expect(await working).toMatchObject({ code: 0 })
  const wrong = await outputOf(gatewayCommand, ['work', '--no-store'], io)
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringMatching(/gateway work needs --store postgres/),
  ])
  await receiver.close()
})

proves('store/shared-lease', async (subject) => {
  const { url } = await newDatabase()
  const ends: (() => void)[] = []
  const deliveries = (_: Delivery): Promise<void> =>
    new Promise((resolve) => ends.push(() => resolve()))
  const [first, second] = [
    await startBeside(subject, url, { ...real, deliveries }),
    await startBeside(subject, url, real),
  ]
  const posted = postText(first, 'direct', 'd', 'one')
  await until(() => ends.length === 1)
  const refused = await postText(second, 'direct', 'd', 'one')
  ends[0]?.()
  expect((await posted).json).toMatchObject({ status: 'delivered' })
  expect(refused).toMatchObject({ status: 503, json: { error: 'Delivery under way' } })
  expect(Number(refused.retryAfter)).toBeGreaterThan(0)
  expect((await postText(second, 'direct', 'd', 'one')).json).toMatchObject({
    status: 'duplicate',
  })
  await Promise.all([first.close(), second.close()])
})

// While a gateway cannot reach the database, others take it for dead.
proves(['store/delivered-once', 'store/takeover'], async (subject) => {
  const { url, name } = await newDatabase()
  const asked: string[] = []
  let answer = (_: string): void => undefined
  const agent = ({ delivery_id }: AgentRun): Promise<string> => {
    asked.push(delivery_id)
    return new Promise((resolve) => (answer = resolve))
  }
  const gateway = await startBeside(subject, url, { ...real, agent })
  expect((await postText(gateway, 'ci', 'a', 'one')).status).toBe(202)
  await until(() => asked.length === 1)
  await inServer("UPDATE flowdouble_runs SET owner = NULL, state = 'waiting'", name)
  await inServer("SELECT pg_notify('flowdouble_runs', 'ci')", name)
  await until(async () => {
    const [row] = await inServer('SELECT owner FROM flowdouble_runs', name)
    return row?.owner !== null
  })
  answer('done')
  await until(() => texts([gateway]).length > 0)
  expect((await postText(gateway, 'ci', 'b', 'two')).status).toBe(202)
  await until(() => asked.length === 2)
  answer('done')
  await until(() => texts([gateway]).length === 2)
  expect(asked).toEqual(['a', 'b'])
  await gateway.close()
})

proves('store/takeover', async () => {
  const { url, name } = await newDatabase()
  const asked: AgentRun[] = []
  const agent = (run: AgentRun): Promise<string> => {
    asked.push(run)
    return new Promise(() => undefined)
  }
  const dying = await startStored(url, { ...real, agent, agentsAtOnce: 1, leaseMs: 300 })
  expect((await postText(dying, 'ci', 'a', 'one')).status).toBe(202)
  await until(() => asked.length === 1)
  const other = await startStored(url, { ...real, leaseMs: 300 })
  // As if its machine had stopped: it no longer reports that it lives.
  await inServer(
    "UPDATE flowdouble_owners SET name = 'x' || name, seen_ms = 0 WHERE name IN (SELECT owner FROM flowdouble_runs)",
    name,
  )
  await inServer("UPDATE flowdouble_runs SET owner = 'x' || owner", name)
  await until(() => texts([other]).length === 1)
  expect(other.runs()[0]?.key).toBe(asked[0]?.key)
  await Promise.all([dying.close(), other.close()])
})

proves(['store/failure', 'store/recovers'], async () => {
  const { url, name } = await newDatabase()
  const logs: string[] = []
  const gateway = await startStored(url, {
    ...real,
    onLog: ({ kind, text }) => kind === 'gateway' && logs.push(text),
  })
  await inServer('ALTER TABLE flowdouble_ids RENAME TO away', name)
  const refused = await postText(gateway, 'ci', 'a', 'one')
  expect(refused).toMatchObject({ status: 503, json: { error: 'Cannot store the event' } })
  expect(logs).toEqual([expect.stringMatching(/^The store fails: .+ Posts get 503/)])
  await inServer('ALTER TABLE away RENAME TO flowdouble_ids', name)
  // The connection is cut too: it connects again.
  await inServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
  await until(() => logs.some((line) => line === 'The store works again.'))
  expect((await postText(gateway, 'ci', 'a', 'one')).status).toBe(202)
  await until(() => texts([gateway]).length === 1)
  await gateway.close()
})

proves('store/ids-survive', async () => {
  const { url, name } = await newDatabase()
  const logs: string[] = []
  const failing = await startStored(url, { ...real, onLog: ({ text }) => logs.push(text) })
  const other = await startStored(url, { ...real })
  await inServer('ALTER TABLE flowdouble_ids RENAME TO away', name)
  expect((await postText(failing, 'direct', 'd', 'one')).status).toBe(503)
  await inServer('ALTER TABLE away RENAME TO flowdouble_ids', name)
  // The retry goes to another gateway, whose delivery counts: the first one forgets only what it holds itself.
  expect((await postText(other, 'direct', 'd', 'one')).json).toMatchObject({ status: 'delivered' })
  await until(() => logs.includes('The store works again.'))
  expect((await postText(failing, 'direct', 'd', 'one')).json).toMatchObject({
    status: 'duplicate',
  })
  await Promise.all([failing.close(), other.close()])
})
