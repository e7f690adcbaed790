// The control paths of stored runs: what the command `gateway runs` does, over HTTP.

import type { Gateway } from 'flowdouble'
import { expect } from '../../judge/expect.ts'
import { ownGateway, sendTo } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { injectFailures } from '../../support/stores/failing.ts'
import { newStorePath, postText, startStored } from '../../support/stores/gateways.ts'

/** Asks for stored runs: the path and query after their address, a method and a body. */
async function ask({ url }: Pick<Gateway, 'url'>, rest = '', method = 'GET', body?: object) {
  const path = `/_flowdouble/stored-runs${rest}`
  const { status, json } = await sendTo(url)(method, path, body && JSON.stringify(body))
  return { status, json: json() }
}

const change = (gateway: Gateway, id: string, what: string) =>
  ask(gateway, `/${id}`, 'POST', { do: what })

const ids = async (gateway: Gateway, query = ''): Promise<readonly string[]> =>
  (await ask(gateway, query)).json.map((run: any) => run.delivery_id)

/** Starts a gateway on whose route `ci` the run `a/1` is dead, and `b` delivered. */
async function startWithRuns(): Promise<Gateway> {
  const gateway = await startStored(newStorePath(), { agent: { delayMs: 50 } })
  gateway.failDeliveries({ target: 'telegram', error: 'not allowed', status: 403, times: 1 })
  for (const id of ['a/1', 'b']) {
    await postText(gateway, 'ci', id, `text ${id}`)
    await gateway.until('idle')
  }
  return gateway
}

proves('control/stored-runs', async () => {
  const gateway = await startWithRuns()
  const { status, json } = await ask(gateway)
  expect({ status, json }).toMatchObject({
    status: 200,
    json: [
      { delivery_id: 'a/1', state: 'dead', target: 'telegram', attempt: 1, error: 'not allowed' },
      { delivery_id: 'b', state: 'delivered', error: null },
    ],
  })
  expect(await ids(gateway, '?state=dead&route=ci')).toEqual(['a/1'])
  expect(await ids(gateway, '?route=other')).toEqual([])
  expect(await ids(gateway, '?limit=1')).toEqual(['b'])
  // No run has been looked for yet: the statement is prepared now.
  const restore = await injectFailures((sql) => (/delivery_id = /.test(sql) ? 'before' : undefined))
  const failed = await ask(gateway, '/b')
  restore()
  expect(failed).toEqual({ status: 503, json: { error: expect.stringContaining('store fails') } })
  const shown = { delivery_id: 'a/1', prompt: 'text a/1', payload: '{"text":"text a/1"}' }
  for (const id of ['a%2F1', json[0].key])
    expect(await ask(gateway, `/${id}`)).toMatchObject({ status: 200, json: shown })
  for (const wrong of ['?state=deadly', '?limit=x', '?limit=1001', '?rout=ci'])
    expect((await ask(gateway, wrong)).status).toBe(400)
  await gateway.close()
})

proves('control/stored-changes', async () => {
  const gateway = await startWithRuns()
  expect(await change(gateway, 'a%2F1', 'retry')).toMatchObject({
    status: 200,
    json: { delivery_id: 'a/1', state: 'answered' },
  })
  await gateway.until('idle')
  expect(gateway.outbox().at(-1)).toMatchObject({ delivery_id: 'a/1', status: 'delivered' })
  expect(await ask(gateway, '/b', 'DELETE')).toMatchObject({
    status: 200,
    json: { state: 'delivered' },
  })
  expect(await ids(gateway)).toEqual(['a/1'])
  await postText(gateway, 'ci', 'c', 'three')
  expect(await change(gateway, 'c', 'cancel')).toMatchObject({ json: { state: 'cancelled' } })
  await gateway.until('idle')
  expect(gateway.runs().at(-1)).toMatchObject({ delivery_id: 'c', status: 'failed' })
  expect(gateway.outbox().some(({ delivery_id }) => delivery_id === 'c')).toBe(false)
  await gateway.close()
})

proves('control/stored-refusals', async () => {
  const gateway = await startWithRuns()
  await postText(gateway, 'ci', 'c', 'three')
  const refused = async (answer: ReturnType<typeof ask>) => {
    const { status, json } = await answer
    return [status, json.error]
  }
  const unknown = [404, expect.stringMatching(/no run nope\./)]
  expect(await refused(ask(gateway, '/nope'))).toEqual(unknown)
  expect(await refused(ask(gateway, '/nope', 'DELETE'))).toEqual(unknown)
  expect(await refused(change(gateway, 'nope', 'retry'))).toEqual(unknown)
  const isOpen = [409, expect.stringMatching(/has not ended: it is (waiting|running)\. Cancel/)]
  expect(await refused(change(gateway, 'c', 'retry'))).toEqual(isOpen)
  expect(await refused(ask(gateway, '/c', 'DELETE'))).toEqual(isOpen)
  expect(await refused(change(gateway, 'b', 'cancel'))).toEqual([
    409,
    'The run b has ended: it is delivered.',
  ])
  for (const body of [{}, { do: 'drop' }, { do: 'retry', id: 'b' }])
    expect(await refused(ask(gateway, '/b', 'POST', body))).toEqual([
      400,
      expect.stringContaining('{"do": "retry"}'),
    ])
  await gateway.close()
})

proves(
  'control/no-store',
  async ({ gateway }) => {
    const stored = await startStored(newStorePath())
    for (const one of [gateway, await stored.fork('x'), await stored.world({ name: 'y' })])
      for (const [rest, method] of [
        ['', 'GET'],
        ['/a', 'GET'],
        ['/a', 'DELETE'],
      ] as const)
        expect(await ask(one, rest, method)).toEqual({
          status: 409,
          json: { error: expect.stringMatching(/no store.*flowdouble gateway run/) },
        })
    await stored.close()
  },
  ownGateway,
)
