// A gateway whose disk fails: at each of the statements of a post and its run, at each commit of its start, or at every write for a while.

import { gatewayHealth } from '../../../spec/gateway/webhooks.ts'
import { expect } from '../../judge/expect.ts'
import { sendTo } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { violations } from '../../judge/judge.ts'
import { type Fails, injectFailures } from '../../support/stores/failing.ts'
import { afterKill, newStorePath, postText, startBeside } from '../../support/stores/gateways.ts'

/** What changes a database. */
const writes = /^\s*(?:BEGIN|COMMIT|INSERT|UPDATE|DELETE)/

proves(
  ['store/stored-first', 'store/failure', 'store/recovers', 'store/run-at-least-once'],
  async (subject) => {
    let left = Infinity
    let when: ReturnType<Fails> = 'before'
    // What fails when all is written matters where that ends a transaction.
    const restore = await injectFailures((sql) =>
      (when === 'before' || sql === 'COMMIT') && --left === 0 ? when : undefined,
    )
    const gateway = await startBeside(subject, newStorePath())
    const refused = { before: 0, after: 0 }
    for (const moment of ['before', 'after'] as const) {
      when = moment
      let hasFailed = true
      for (let at = 1; hasFailed; at++) {
        const id = `${when}-${at}`
        left = at
        const first = await postText(gateway, 'ci', id, id)
        if (first.status === 503) {
          refused[when]++
          // Only a write whose success the disk conceals leaves an id, and its run.
          const retry = await postText(gateway, 'ci', id, id)
          expect(retry.status).toBe(retry.json.status === 'duplicate' ? 200 : 202)
          if (retry.status === 200) expect(when).toBe('after')
        } else expect(first.status).toBe(202)
        await gateway.until('idle')
        hasFailed = left <= 0
        left = Infinity
        const delivered = gateway.outbox().filter(({ text }) => text === id)
        expect(delivered).toMatchObject([{ status: 'delivered' }])
      }
    }
    // Those of its post, of which the last is its commit.
    expect(refused.before).toBeGreaterThan(3)
    expect(refused.after).toBe(1)
    await gateway.close()
    restore()
  },
)

proves(['operations/degraded-store', 'store/failure', 'store/recovers'], async (subject) => {
  let isBroken = false
  const restore = await injectFailures((sql) =>
    isBroken && writes.test(sql) ? 'before' : undefined,
  )
  const logs: string[] = []
  const gateway = await startBeside(subject, newStorePath(), {
    onLog: ({ text }) => logs.push(text),
  })
  const health = async () => {
    const reply = await sendTo(gateway.url)('GET', '/health')
    expect(reply.status).toBe(200)
    expect(violations(gatewayHealth, reply.json())).toEqual([])
    return reply.json()
  }
  expect(await health()).toMatchObject({ status: 'ok' })
  isBroken = true
  for (const id of ['a', 'b']) {
    const refused = await postText(gateway, 'ci', id, id)
    expect(refused).toMatchObject({ status: 503, json: { error: 'Cannot store the event' } })
    expect(await health()).toMatchObject({
      status: 'degraded',
      reasons: ['The store fails: disk I/O error.'],
    })
  }
  isBroken = false
  expect((await postText(gateway, 'ci', 'a', 'a')).status).toBe(202)
  const healthy = await health()
  expect(healthy).toMatchObject({ status: 'ok' })
  expect(healthy).not.toHaveProperty('reasons')
  await gateway.until('idle')
  expect(gateway.outbox().map(({ text }) => text)).toEqual(['a'])
  const lines = logs.filter((text) => text.startsWith('The store'))
  expect(lines).toEqual([
    'The store fails: disk I/O error. Posts get 503 until it works.',
    'The store works again.',
  ])
  await gateway.close()
  restore()
})

proves(['store/run-at-least-once', 'store/recovers'], async (subject) => {
  const path = newStorePath()
  const first = await startBeside(subject, path, { agent: () => new Promise(() => undefined) })
  await postText(first, 'ci', 'a', 'one')
  let left = Infinity
  const restore = await injectFailures((sql) =>
    sql === 'COMMIT' && --left === 0 ? 'after' : undefined,
  )
  let started = 0
  for (let at = 1, hasFailed = true; hasFailed; at++) {
    left = at
    // One of the commits with which a gateway starts is the one that takes the run.
    const second = await startBeside(subject, afterKill(path)).catch(() => undefined)
    hasFailed = left <= 0
    left = Infinity
    if (second === undefined) continue
    started++
    await postText(second, 'ci', 'b', 'two')
    await second.until('idle')
    expect(
      second
        .outbox()
        .map(({ text }) => text)
        .toSorted(),
    ).toEqual(['one', 'two'])
    await second.close()
  }
  expect(started).toBeGreaterThan(1)
  await first.close()
  restore()
})

proves(['store/delivered-once', 'store/ids-survive', 'store/recovers'], async (subject) => {
  const path = newStorePath()
  let isBroken = false
  const restore = await injectFailures((sql) =>
    isBroken && writes.test(sql) ? 'before' : undefined,
  )
  const breaks = async (): Promise<void> => {
    isBroken = true
  }
  const gateway = await startBeside(subject, path, { deliveries: breaks })
  const posts = ['first', 'repeat'].map(() => postText(gateway, 'direct', 'd', 'one'))
  const early: number[] = []
  for (const post of posts) void post.then(({ status }) => early.push(status))
  // Until the store has it, a sender is not answered: a kill would make the gateway forget the id.
  await gateway.received({ path: '/webhooks/direct', times: 2 })
  expect(early).toEqual([])
  isBroken = false
  expect((await Promise.all(posts)).map(({ json }) => String(json.status)).toSorted()).toEqual([
    'delivered',
    'duplicate',
  ])
  const next = await startBeside(subject, afterKill(path))
  expect((await postText(next, 'direct', 'd', 'one')).json.status).toBe('duplicate')
  await Promise.all([gateway.close(), next.close()])
  restore()
})

proves('store/unusable', async (subject) => {
  const path = newStorePath()
  await (await startBeside(subject, path)).close()
  const restore = await injectFailures((sql) => (writes.test(sql) ? 'before' : undefined))
  const why = /The store cannot be used \(disk I\/O error\)\. .*gateway doctor/
  await expect(startBeside(subject, path)).rejects.toThrow(why)
  await expect(startBeside(subject, newStorePath())).rejects.toThrow(why)
  restore()
  await expect(startBeside(subject, '/dev/null/gateway.sqlite')).rejects.toThrow(
    /The store cannot be used \(EEXIST\)/,
  )
  // Nothing of them is left.
  await (await startBeside(subject, path)).close()
})
