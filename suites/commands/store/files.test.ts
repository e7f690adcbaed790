// A store in a file: its owner, its version, its bounds, and how a gateway that uses it stops.

import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { newStorePath, postText, startBeside } from '../../support/stores/gateways.ts'
import { inDatabase } from '../../support/stores/database.ts'

proves('store/version', async (subject) => {
  const path = newStorePath()
  await (await startBeside(subject, path)).close()
  await inDatabase(path, 'UPDATE flowdouble_store SET version = 99')
  await expect(startBeside(subject, path)).rejects.toThrow(
    /version 99, and this flowdouble knows 1/,
  )
})

proves(['store/bounded', 'store/failure', 'store/recovers'], async (subject) => {
  const path = newStorePath()
  const logs: string[] = []
  const gateway = await startBeside(subject, path, {
    storeMib: 16,
    agent: () => new Promise(() => undefined),
    onLog: ({ level, text }) => level === 'error' && logs.push(text),
  })
  const text = 'x'.repeat(900_000)
  const statuses: number[] = []
  let last
  do {
    last = await postText(gateway, 'ci', `${statuses.length}`, text)
    statuses.push(last.status)
  } while (last.status === 202)
  expect(last).toMatchObject({ status: 503, json: { error: 'Cannot store the event' } })
  expect(Number(last.retryAfter)).toBeGreaterThan(0)
  expect(statuses.length).toBeGreaterThan(4)
  expect(logs).toEqual([expect.stringMatching(/store is full/)])
  await gateway.close()
  // The next one ends them all: their room is for new ones, and the id is new.
  const next = await startBeside(subject, path, { storeMib: 16 })
  await next.until('idle')
  expect(next.runs()).toHaveLength(statuses.length - 1)
  // The first finds the store full, which makes room for the second.
  await postText(next, 'ci', 'other', text)
  expect((await postText(next, 'ci', `${statuses.length - 1}`, text)).status).toBe(202)
  await next.close()
})

proves('store/drain', async (subject) => {
  const path = newStorePath()
  let answer = (_: string): void => undefined
  const agent = (): Promise<string> => new Promise((resolve) => (answer = resolve))
  const gateway = await startBeside(subject, path, { agent, agentsAtOnce: 1 })
  await postText(gateway, 'ci', 'a', 'one')
  await postText(gateway, 'ci', 'b', 'two')
  const drained = gateway.drain(60_000)
  const refused = await postText(gateway, 'ci', 'c', 'three')
  expect(refused).toMatchObject({ status: 503, json: { error: 'Gateway is stopping' } })
  expect(Number(refused.retryAfter)).toBeGreaterThan(0)
  answer('done')
  expect(await drained).toBe(1)
  expect(gateway.outbox()).toMatchObject([{ delivery_id: 'a', text: 'done' }])
  await gateway.close()
  const next = await startBeside(subject, path)
  await next.until('idle')
  expect(next.outbox()).toMatchObject([{ delivery_id: 'b', text: 'two' }])
  await next.close()
})

proves('store/drain-limit', async (subject) => {
  const gateway = await startBeside(subject, newStorePath(), {
    agent: () => new Promise(() => undefined),
  })
  await postText(gateway, 'ci', 'a', 'one')
  expect(await gateway.drain(0)).toBe(1)
  await gateway.close()
})
