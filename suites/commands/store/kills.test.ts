// What a gateway with a store in a file goes on with after a kill: what is on the disk at that moment.

import { spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import type { AgentRun, Delivery, Gateway, GatewayOptions } from 'flowdouble'
import { expect } from '../../judge/expect.ts'
import { SECRET } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { afterKill, newStorePath, postText, startBeside } from '../../support/stores/gateways.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Work outside that ends when a case says so. */
function held<T, A>() {
  const asked: A[] = []
  const ends: ((value: T) => void)[] = []
  const work = (one: A): Promise<T> => {
    asked.push(one)
    return new Promise((resolve) => ends.push(resolve))
  }
  return { work, asked, ends }
}

/** Waits until something holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn()
}

const idle = (gateway: Gateway): Promise<void> => gateway.until('idle')

proves(['store/stored-first', 'store/run-at-least-once', 'store/same-key'], async (subject) => {
  const path = newStorePath()
  const agent = held<string, AgentRun>()
  const first = await startBeside(subject, path, { agent: agent.work, agentsAtOnce: 1 })
  expect((await postText(first, 'ci', 'a', 'one')).status).toBe(202)
  expect((await postText(first, 'ci', 'b', 'two')).status).toBe(202)
  const killed = afterKill(path)
  expect(agent.asked.map(({ prompt }) => prompt)).toEqual(['one'])
  const logs: string[] = []
  const second = await startBeside(subject, killed, { onLog: ({ text }) => logs.push(text) })
  expect(logs[0]).toBe('A gateway that ended left 2 runs: work goes on.')
  await idle(second)
  expect(second.outbox().map(({ delivery_id, text }) => [delivery_id, text])).toEqual([
    ['a', 'one'],
    ['b', 'two'],
  ])
  expect(second.runs()[0]?.key).toBe(agent.asked[0]?.key)
  await Promise.all([first.close(), second.close()])
})

proves(['store/stored-first', 'store/delivered-once', 'store/same-key'], async (subject) => {
  const path = newStorePath()
  const sender = held<void, Delivery>()
  const answers = { agent: { answer: 'the answer' } }
  const first = await startBeside(subject, path, { ...answers, deliveries: sender.work })
  await postText(first, 'ci', 'a', 'one')
  void first.until('idle').catch(() => undefined)
  await until(() => sender.asked.length === 1)
  // In flight: it repeats once, and with the same key, though the agent would answer otherwise now.
  const inFlight = afterKill(path)
  const again = held<void, Delivery>()
  const second = await startBeside(subject, inFlight, {
    agent: { answer: 'another' },
    deliveries: again.work,
  })
  void second.until('idle').catch(() => undefined)
  await until(() => again.asked.length === 1)
  const [{ key, text } = { key: '', text: '' }] = again.asked
  expect({ key, text }).toEqual({ key: sender.asked[0]?.key, text: 'the answer' })
  again.ends[0]?.()
  await until(() => second.outbox().length === 1)
  await idle(second)
  // Its success is stored: nothing repeats.
  const third = await startBeside(subject, afterKill(inFlight), { deliveries: again.work })
  await idle(third)
  expect(again.asked).toHaveLength(1)
  sender.ends[0]?.()
  await Promise.all([first, second, third].map((gateway) => gateway.close()))
})

proves('store/delivered-once', async (subject) => {
  const path = newStorePath()
  const first = await startBeside(subject, path)
  first.failDeliveries({ target: 'telegram', error: 'network error', times: 1 })
  await postText(first, 'ci', 'a', 'one')
  await first.advance(0)
  expect(first.outbox()).toMatchObject([{ attempt: 1, status: 'failed' }])
  // The second attempt is due later, and stays the second.
  const second = await startBeside(subject, afterKill(path))
  await second.advance(0)
  expect(second.outbox()).toEqual([])
  await idle(second)
  expect(second.outbox()).toMatchObject([{ attempt: 2, status: 'delivered', text: 'one' }])
  await Promise.all([first.close(), second.close()])
})

proves('store/ids-survive', async (subject) => {
  const path = newStorePath()
  const first = await startBeside(subject, path)
  await postText(first, 'ci', 'a', 'one')
  await postText(first, 'direct', 'd', 'one')
  const second = await startBeside(subject, afterKill(path))
  for (const [route, id] of [
    ['ci', 'a'],
    ['direct', 'd'],
  ] as const)
    expect((await postText(second, route, id, 'one')).json).toEqual({
      status: 'duplicate',
      delivery_id: id,
    })
  await second.advance(3_600_000)
  expect((await postText(second, 'ci', 'a', 'one')).status).toBe(202)
  await Promise.all([first.close(), second.close()])
})

proves('store/direct-lease', async (subject) => {
  const path = newStorePath()
  const sender = held<void, Delivery>()
  const first = await startBeside(subject, path, { deliveries: sender.work })
  const posted = postText(first, 'direct', 'd', 'one')
  await until(() => sender.asked.length === 1)
  const second = await startBeside(subject, afterKill(path))
  const retry = await postText(second, 'direct', 'd', 'one')
  const again = await postText(second, 'direct', 'd', 'one')
  sender.ends[0]?.()
  expect((await posted).json).toMatchObject({ status: 'delivered' })
  expect([retry.json.status, again.json.status]).toEqual(['delivered', 'duplicate'])
  await Promise.all([first.close(), second.close()])
})

proves(['deliveries/dead', 'store/retry'], async (subject) => {
  const errors: string[] = []
  const onLog: GatewayOptions['onLog'] = ({ level, text }) => level === 'error' && errors.push(text)
  const gateway = await startBeside(subject, newStorePath(), { onLog })
  gateway.failDeliveries({ target: 'telegram', error: 'gone', times: null, status: 404 })
  await postText(gateway, 'ci', 'a', 'one')
  await idle(gateway)
  expect(errors.at(-1)).toBe(
    'delivery ci a to telegram:42 is dead: gone; to send it again: flowdouble gateway runs retry a',
  )
  await gateway.close()
})

proves('store/direct-parts', async (subject) => {
  const path = newStorePath()
  const parts: number[] = []
  const failsAt = (last: number) =>
    Object.assign(
      async ({ part }: Delivery): Promise<void> => {
        parts.push(part)
        if (part === last) throw new Error('network error')
      },
      { isSplit: true },
    )
  const text = 'x'.repeat(5000)
  const first = await startBeside(subject, path, { deliveries: failsAt(2) })
  expect((await postText(first, 'direct', 'd', text)).status).toBe(502)
  expect((await postText(first, 'direct', 'd', text)).status).toBe(502)
  expect(parts.splice(0)).toEqual([1, 2, 2])
  const second = await startBeside(subject, afterKill(path), { deliveries: failsAt(0) })
  expect((await postText(second, 'direct', 'd', text)).status).toBe(200)
  expect(parts).toEqual([1, 2])
  await Promise.all([first.close(), second.close()])
})

proves('store/no-secrets', async (subject) => {
  const path = newStorePath()
  const gateway = await startBeside(subject, path)
  await postText(gateway, 'ci', 'a', 'one')
  await idle(gateway)
  const bytes = [path, `${path}-wal`].map((file) => readFileSync(file, 'latin1')).join()
  expect(bytes).toContain('"prompt":"one"')
  expect(bytes).not.toContain(SECRET)
  expect(bytes).not.toMatch(/sha256=|x-hub-signature/i)
  expect([path, `${path}-wal`].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
  await gateway.close()
})

proves('store/agents-ended', async (subject) => {
  const path = newStorePath()
  const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' })
  const ended = new Promise<string | null>((resolve) =>
    child.on('exit', (_, signal) => resolve(signal)),
  )
  const agent = (_: AgentRun, __: AbortSignal, began?: (pid: number) => void): Promise<string> => {
    began?.(child.pid ?? 0)
    return new Promise(() => undefined)
  }
  const first = await startBeside(subject, path, { agent })
  await postText(first, 'ci', 'a', 'one')
  const stored = (): boolean => readFileSync(`${path}-wal`, 'latin1').includes(`"pid":${child.pid}`)
  await until(stored)
  const second = await startBeside(subject, afterKill(path))
  expect(await ended).toBe('SIGKILL')
  await Promise.all([first.close(), second.close()])
})
