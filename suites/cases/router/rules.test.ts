// Model rules of a scenario: what calls give, how long they take and how they fail.

import type { EmulatorOptions } from 'flowdouble'
import type { ModelRule } from '../../../spec/scenario/models.ts'
import { expect } from '../../judge/expect.ts'
import { account } from '../../judge/hosted/jobs.ts'
import { expectRouterError, routerOf } from '../../judge/hosted/router.ts'
import { fetchLink } from '../../judge/http-client.ts'
import { ownWorld, provesHosted } from '../../judge/proves.ts'

const world = (...models: readonly ModelRule[]): EmulatorOptions => ({
  ...ownWorld,
  accounts: [{ ...account('test-key'), user: 'first' }, account('other-key')],
  scenario: {
    version: 1,
    modelTypes: {
      'acme/one': { input: { type: 'object' }, output: { model: 'one' }, price: 1 },
      'acme/two': { input: { type: 'object' }, output: { model: 'two' } },
    },
    models: [...models],
  },
})

const one = 'acme/one'

provesHosted(
  'scenario/model-choice',
  async (subject) => {
    const { run, submit, send } = await routerOf(subject)
    const other = await routerOf(subject.as('other-key'))
    const seen: unknown[] = []
    for (const input of [{}, { prompt: 'x' }, {}, {}]) seen.push((await run(one, input)).json())
    seen.push((await run('acme/two', {})).json(), (await other.run(one, {})).json())
    const { request_id } = await submit('acme/two', {})
    await subject.idle()
    seen.push((await send('GET', `/acme/two/requests/${request_id}`)).json())
    const [usual, named, second, models] = [{ model: 'one' }, 'by input', 'second', 'by model']
    const expected = [usual, { is: named }, { is: second }, usual]
    expect(seen).toEqual([...expected, { is: models }, { is: 'by user' }, { is: 'queued' }])
  },
  world(
    { by: 'submit', output: { is: 'queued' } },
    { where: { prompt: 'x' }, output: { is: 'by input' } },
    { user: 'user-of-other-key', output: { is: 'by user' } },
    { model: 'acme/o*', nth: [3], output: { is: 'second' } },
    { model: 'acme/two', output: { is: 'by model' }, price: 0 },
  ),
)

provesHosted(
  'scenario/model-duration',
  async (subject) => {
    const { submit, send } = await routerOf(subject)
    const { request_id } = await submit(one, {})
    const word = async () => (await send('GET', `/${one}/requests/${request_id}/status`)).json()
    const words: unknown[] = []
    for (const ms of [1999, 1, 2999, 1]) {
      await subject.emulator?.advance(ms)
      words.push((await word()).status)
    }
    expect(words).toEqual(['IN_QUEUE', 'IN_PROGRESS', 'IN_PROGRESS', 'COMPLETED'])
  },
  world({ waitMs: 2000, durationMs: 3000 }),
)

provesHosted(
  'scenario/model-never-ends',
  async (subject) => {
    const { submit, send, run } = await routerOf(subject)
    const { request_id } = await submit(one, {})
    await expect(subject.emulator?.until('next')).rejects.toThrow()
    const { status } = (await send('GET', `/${one}/requests/${request_id}/status`)).json()
    expect(status).toBe('IN_PROGRESS')
    expectRouterError(await run(one, {}), 504, 'deadline_exceeded')
  },
  world({ neverEnds: true }),
)

provesHosted(
  'scenario/model-output',
  async (subject) => {
    const { run } = await routerOf(subject)
    const input = { a: { b: [1, null] }, n: 2 }
    const { file, list, ...others } = (await run(one, input)).json()
    expect(others).toEqual({ echo: [1, null], error_type: 'mine', text: '{"input": "n"}' })
    expect(list).toEqual([3, 'item', 'item'])
    const { status, headers } = await fetchLink(file)
    expect([status, headers.get('content-type')]).toEqual([200, 'video/mp4'])
    expect((await run('acme/two', input)).json()).toEqual(['a', { b: 2 }])
  },
  world(
    { model: 'acme/two', output: ['a', { b: { input: 'n' }, c: { input: 'absent' } }] },
    {
      output: {
        file: { media: 'mp4', width: 32, height: 32 },
        echo: { input: 'a.b' },
        list: [3, { times: 'n', item: 'item' }],
        text: '{"input": "n"}',
        error_type: 'mine',
      },
    },
  ),
)

provesHosted(
  'scenario/model-file',
  async (subject) => {
    const { run } = await routerOf(subject)
    const seen: unknown[] = []
    for (let n = 0; n < 5; n++) {
      const { status, headers, text } = await run(one, {})
      seen.push([status, headers['content-type'], text])
    }
    expect(seen).toEqual([
      [200, 'application/json', '<html></html>'],
      [200, undefined, 'abc'],
      [200, 'text/plain; charset=utf-8', 'abc'],
      [200, 'audio/x-wav', 'RIFF\0\0\0\0WAVE'],
      [200, 'audio/L16; rate=16000', 'abc'],
    ])
  },
  world(
    { nth: 1, file: { text: '<html></html>' }, contentType: 'application/json' },
    { nth: 2, file: { text: 'abc' }, contentType: '' },
    { nth: 3, file: { text: 'abc' } },
    { nth: 4, file: { base64: 'UklGRgAAAABXQVZF' } },
    { nth: 5, file: { base64: 'YWJj' }, contentType: 'audio/L16; rate=16000' },
  ),
)

provesHosted(
  'scenario/model-headers',
  async (subject) => {
    const { run } = await routerOf(subject)
    expect((await run(one, {})).headers).toMatchObject({
      'x-comfy-credits-used': '12.5',
      'x-comfy-router-dropped-params': '["seed (not supported)","steps, too"]',
      'x-comfy-router-fallback-provider': 'fal',
      'x-committed-spend-limit': '10000',
    })
  },
  world({
    price: 12.5,
    droppedParams: ['seed (not supported)', 'steps, too'],
    fallbackProvider: 'fal',
    headers: { 'X-Committed-Spend-Limit': '10000' },
  }),
)

provesHosted(
  'scenario/model-no-header',
  async (subject) => {
    const { run } = await routerOf(subject)
    const { status, headers } = await run(one, {})
    expect(status).toBe(200)
    expect(headers).not.toHaveProperty('x-comfy-credits-used')
    expect(headers).toHaveProperty('x-comfy-request-id')
  },
  world({ headers: { 'X-Comfy-Credits-Used': null } }),
)

const failures: readonly ModelRule[] = [
  { error: 'rate_limited', retryAfter: 7, detail: 'Slow down.' },
  { error: 'concurrency_limit_exceeded' },
  { error: 'concurrency_limit_exceeded', status: 409 },
  { error: 'insufficient_credits' },
  { error: 'not_enabled' },
  { error: 'service_unavailable' },
  { error: 'queue_backlog_full' },
  { error: 'model_not_found' },
  { error: 'unauthorized' },
  { error: 'brand_new', status: 418 },
  { error: 'internal_error' },
  { error: 'provider_error' },
  { error: 'provider_timeout' },
  { error: 'client_disconnected' },
]

provesHosted(
  'scenario/model-error',
  async (subject) => {
    subject.breaks('router-runs/output')
    const { run } = await routerOf(subject)
    const usual: Readonly<Record<string, number>> = {
      rate_limited: 429,
      concurrency_limit_exceeded: 429,
      insufficient_credits: 402,
      not_enabled: 403,
      service_unavailable: 503,
      queue_backlog_full: 429,
      model_not_found: 404,
      unauthorized: 401,
      internal_error: 500,
      provider_error: 502,
      provider_timeout: 504,
      client_disconnected: 499,
    }
    for (const { error = '', status = usual[error] ?? 0, detail, retryAfter } of failures) {
      const reply = await run(one, {})
      const body = expectRouterError(reply, status, error)
      if (detail !== undefined) expect(body.detail).toBe(detail)
      const pace = reply.headers['retry-after']
      expect(pace).toBe(retryAfter === undefined ? undefined : `${retryAfter}`)
    }
  },
  world(...failures.map((rule, at) => Object.assign({ nth: at + 1 }, rule))),
)

provesHosted(
  'scenario/model-error-time',
  async (subject) => {
    const { begin, send } = await routerOf(subject)
    expectRouterError(await send('POST', `/${one}`, {}), 429, 'rate_limited')
    expectRouterError(await send('POST', `/${one}/requests`, {}), 429, 'rate_limited')
    const { reply, hasCome } = await begin(one, {})
    await subject.emulator?.advance(299)
    await send('GET', '')
    expect(hasCome()).toBe(false)
    await subject.emulator?.advance(1)
    expectRouterError(await reply, 502, 'provider_error')
  },
  world(
    { nth: [1, 2], error: 'rate_limited', durationMs: 1000 },
    { nth: 3, error: 'provider_error', durationMs: 300 },
  ),
)

const fields = [{ loc: ['body', 'images', 0], msg: 'odd', type: 'image_too_small', ctx: { w: 8 } }]

provesHosted(
  'scenario/model-fields',
  async (subject) => {
    const { run } = await routerOf(subject)
    expect(expectRouterError(await run(one, {}), 422, 'invalid_input')).toEqual({ detail: fields })
    expectRouterError(await run(one, {}), 422, 'content_policy_violation')
  },
  world({ nth: 1, errors: fields }, { errors: fields, error: 'content_policy_violation' }),
)

provesHosted(
  'scenario/model-upstream',
  async (subject) => {
    const { run } = await routerOf(subject)
    const reply = await run(one, {})
    expect(expectRouterError(reply, 400, 'invalid_input')).toMatchObject({
      upstream_detail: 'too small',
    })
    expect(reply.headers).toMatchObject({
      'x-comfy-upstream-status': '422',
      'x-comfy-upstream-detail': 'too small',
    })
    const policy = await run(one, {})
    expect(expectRouterError(policy, 400, 'content_policy_violation')).toMatchObject({
      refusal_subject: 'input_image',
    })
    expect(policy.headers).toMatchObject({ 'x-comfy-refusal-subject': 'input_image' })
  },
  world(
    { nth: 1, error: 'invalid_input', upstreamStatus: 422, upstreamDetail: 'too small' },
    { error: 'content_policy_violation', refusalSubject: 'input_image' },
  ),
)

provesHosted(
  'scenario/model-ignores-cancel',
  async (subject) => {
    const { submit, send } = await routerOf(subject)
    const { request_id } = await submit(one, {})
    const path = `/${one}/requests/${request_id}`
    expect((await send('PUT', `${path}/cancel`)).status).toBe(202)
    expect((await send('GET', `${path}/status`)).json().status).toBe('IN_PROGRESS')
    await subject.idle()
    expect((await send('GET', path)).json()).toEqual({ model: 'one' })
  },
  world({ ignoresCancel: true }),
)
