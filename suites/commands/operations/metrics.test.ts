// The metrics of a gateway, read as Prometheus reads them.

import { metrics } from '../../../spec/gateway/metrics.ts'
import { processMetrics } from '../../../spec/metrics.ts'
import { direct, type GatewaySubject, SECRET } from '../../judge/gateway-subject.ts'
import { proves, provesQuirk, test } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import { optionsOf, provesCli } from '../../support/command-line.ts'
import { inputTo, machineOf } from '../../support/gateway/machine.ts'
import { readMetrics } from '../../support/gateway/prometheus.ts'

async function metricsOf({ send }: GatewaySubject) {
  const reply = await send('GET', '/metrics')
  expect(reply.status).toBe(200)
  expect(reply.header('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const families = readMetrics(reply.body)
  return {
    families,
    /** The values of a metric of the gateway, by labels. */
    of: (name: string) => {
      const samples = families.get(`flowdouble_gateway_${name}`)?.samples ?? new Map()
      return Object.fromEntries(
        Array.from(samples, ([key, value]) => [/\{(.*)\}/.exec(key)?.[1] ?? '', value]),
      )
    },
  }
}

const routes = {
  run: { secret: SECRET, events: ['push'], prompt: 'x', deliver: 'slack' },
  'odd "name"\\\n': direct('x'),
  note: direct('x'),
  lost: direct('x', { deliver: 'nowhere' }),
}

proves(
  'operations/metrics',
  async (subject) => {
    const { gateway, post, send, idle } = subject
    const before = await metricsOf(subject)
    const all = Object.values({ ...metrics, ...processMetrics })
    expect([...before.families.keys()]).toEqual(all.map(({ name }) => name))
    for (const { name, type, help } of all)
      expect(before.families.get(name)).toMatchObject({ type, help })
    expect(before.of('routes')).toEqual({ '': 4 })
    expect(before.of('posts_total')).toEqual({})
    const memory = before.families.get(processMetrics.residentBytes.name)?.samples
    expect([...(memory?.values() ?? [])][0]).toBeGreaterThan(1e6)

    await post('run', { type: 'push' })
    expect((await metricsOf(subject)).of('runs_waiting')).toEqual({ '': 1 })
    await idle()
    await post('run', { type: 'ping' })
    await post('note', {}, { 'X-Request-ID': 'd-1' })
    await post('note', {}, { 'X-Request-ID': 'd-1' })
    gateway.failDeliveries({ target: 'telegram', error: 'out of reach', times: 1 })
    await post('note', {})
    await send('POST', '/webhooks/note', '{}', {})
    const after = await metricsOf(subject)
    expect(after.of('posts_total')).toEqual({
      'route="run",verdict="accepted"': 1,
      'route="run",verdict="ignored"': 1,
      'route="note",verdict="accepted"': 2,
      'route="note",verdict="duplicate"': 1,
      'route="note",verdict="refused"': 1,
    })
    expect(after.of('runs_total')).toEqual({ 'route="run",status="completed"': 1 })
    expect(after.of('deliveries_total')).toEqual({
      'target="slack",status="delivered"': 1,
      'target="telegram",status="delivered"': 1,
      'target="telegram",status="failed"': 1,
    })
    expect(after.of('answers_dead_total')).toEqual({})
    expect(after.of('runs_waiting')).toEqual({ '': 0 })
    expect(after.of('degraded')).toEqual({ '': 0 })
    expect(after.of('draining')).toEqual({ '': 0 })
    expect(await send('HEAD', '/metrics')).toMatchObject({ status: 200, body: '' })
  },
  { routes, agent: { delayMs: 3000 } },
)

proves(
  'operations/metrics',
  async (subject) => {
    const { gateway, post, idle } = subject
    await post('run', { type: 'push' })
    await gateway.advance(3000)
    await idle()
    const { of } = await metricsOf(subject)
    const run = of('run_duration_seconds')
    expect(run).toMatchObject({ 'le="1"': 0, 'le="5"': 1, 'le="+Inf"': 1, '': 1 })
  },
  { routes, agent: { delayMs: 3000 } },
)

proves(
  'operations/metrics-labels',
  async (subject) => {
    const { gateway, post, send } = subject
    await post('odd "name"\\\n', {})
    await post('lost', {})
    for (const name of ['nobody', 'other']) await send('POST', `/webhooks/${name}`)
    gateway.subscribe('later', direct('x'))
    expect((await post('later', {})).status).toBe(200)
    const { of } = await metricsOf(subject)
    expect(of('posts_total')).toEqual({
      [String.raw`route="odd \"name\"\\\n",verdict="accepted"`]: 1,
      'route="lost",verdict="accepted"': 1,
      'verdict="refused"': 2,
      'route="later",verdict="accepted"': 1,
    })
    expect(of('deliveries_total')).toEqual({
      'target="telegram",status="delivered"': 2,
      'status="failed"': 1,
    })
    gateway.remove('later')
    const left = Object.keys((await metricsOf(subject)).of('posts_total'))
    expect(left.filter((labels) => labels.includes('later'))).toEqual([])
  },
  { routes },
)

proves(
  'operations/metrics-callers',
  async ({ send }) => {
    const token = { Authorization: 'Bearer control-token' }
    const elsewhere = { 'X-Forwarded-For': '203.0.113.5' }
    const status = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await send('GET', '/metrics', '', headers)).status
    expect(await status({})).toBe(200)
    expect(await status(token)).toBe(200)
    expect(await status({ ...token, ...elsewhere })).toBe(200)
    expect(await status({ ...elsewhere, Authorization: 'Bearer other' })).toBe(403)
    const refused = await send('GET', '/metrics', '', elsewhere)
    expect(refused.status).toBe(403)
    expect(refused.json()).toEqual({ error: expect.stringContaining('control token') })
    expect((await send('POST', '/metrics')).status).toBe(405)
  },
  { controlToken: 'control-token' },
)

provesCli('operations/control-token', async (cli) => {
  const variable = { FLOWDOUBLE_CONTROL_TOKEN: 'of-the-variable' }
  expect(await optionsOf(cli)).toMatchObject({ controlToken: null })
  expect(await optionsOf(cli, variable)).toMatchObject({ controlToken: 'of-the-variable' })
  const flag = ['--control-token', 'of-the-flag']
  expect(await optionsOf(cli, variable, ...flag)).toMatchObject({ controlToken: 'of-the-flag' })
})

proves('operations/metrics-unrecorded', async (subject) => {
  await subject.post('hook', {})
  const { gateway } = subject
  const before = await gateway.journal()
  const first = await metricsOf(subject)
  expect(await gateway.journal()).toEqual(before)
  expect((await metricsOf(subject)).of('posts_total')).toEqual(first.of('posts_total'))
  // The machine alone has no process.
  const machine = await machineOf(gateway)
  const { body } = machine.reply(inputTo('GET', '/metrics'))
  const own = Object.values(metrics).map(({ name }) => name)
  expect([...readMetrics(body).keys()]).toEqual(own)
})

provesQuirk('webhooks.plain-health', async ({ send }) => {
  expect(await send('GET', '/metrics')).toMatchObject({ status: 404, body: '404: Not Found' })
})

// What an agent and a sender elsewhere take counts too.
proves(
  'operations/metrics',
  async (subject) => {
    const { gateway, post } = subject
    await post('run', { type: 'push' })
    await gateway.until('idle')
    await post('note', {})
    const { of } = await metricsOf(subject)
    expect(of('agent_duration_seconds')).toMatchObject({ 'le="0.1"': 1, 'le="+Inf"': 1 })
    expect(of('delivery_duration_seconds')).toMatchObject({ 'le="0.01"': 2, 'le="+Inf"': 2 })
  },
  { routes, agent: () => Promise.resolve('done'), deliveries: () => Promise.resolve() },
)

test('the reader of metrics rejects what Prometheus rejects', () => {
  const head = '# HELP a_total b\n# TYPE a_total counter\n'
  for (const [text, fault] of [
    ['# HELP a_total b', 'no end'],
    [`${head}a_total one\n`, 'is not a sample'],
    [`${head}a_total{x="1} 1\n`, 'labels that cannot be read'],
    [`${head}b_total 1\n`, 'is of another metric'],
    [`${head}a_total 1\na_total 1\n`, 'is there twice'],
    ['# HELP a b\n# TYPE a counter\na 1\n', 'a is a counter'],
    [
      '# HELP h b\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
      'do not fit',
    ],
  ] as const)
    expect(() => readMetrics(text)).toThrow(fault)
})
