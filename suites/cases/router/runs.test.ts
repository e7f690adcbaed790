// Calls of models that wait for their output: inputs, outputs, time and money.

import type { EmulatorOptions } from 'flowdouble'
import { routerEstimate } from '../../../spec/router/router-runs.ts'
import { expect } from '../../judge/expect.ts'
import { account, fitting } from '../../judge/hosted/jobs.ts'
import { expectRouterError, idOf, routerOf } from '../../judge/hosted/router.ts'
import { fetchLink } from '../../judge/http-client.ts'
import { ownWorld, provesHosted } from '../../judge/proves.ts'

/** A world with models whose prices are easy to add. */
const world = (more: EmulatorOptions = {}): EmulatorOptions => ({
  ...ownWorld,
  scenario: {
    version: 1,
    modelTypes: {
      'acme/pic-1': {
        input: {
          type: 'object',
          required: ['prompt'],
          properties: {
            prompt: { type: 'string', minLength: 2 },
            count: { type: 'integer', minimum: 1, maximum: 4 },
            style: { enum: ['plain', 'bold'] },
            tags: { type: 'array', maxItems: 2, items: { type: 'string' } },
            deep: { type: 'object', required: ['on'], properties: { on: { type: 'boolean' } } },
            either: { anyOf: [{ type: 'null' }, { type: 'number' }] },
          },
        },
        output: {
          pictures: [{ times: 'count', item: { url: { media: 'png' } } }],
          prompt: { input: 'prompt' },
          on: { input: 'deep.on' },
        },
        price: 10,
        durationMs: 400,
        providers: ['fal'],
        providerOutput: { images: [{ input: 'text' }] },
      },
      'acme/say-1': { input: { type: 'object' }, bytes: 'mp3', price: 2.345 },
      'acme/plain': { input: { type: 'object' }, output: { done: true } },
    },
  },
  ...more,
})

const pic = 'acme/pic-1'
const input = { prompt: 'a cat', width: 64, height: 48 }

provesHosted(
  'router-runs/output',
  async (subject) => {
    const { run } = await routerOf(subject)
    const reply = await run(pic, { ...input, count: 2, deep: { on: false } })
    expect(reply.status).toBe(200)
    expect(reply.headers['content-type']).toMatch(/^application\/json/)
    const url = expect.stringMatching(/^http/)
    const pictures = [{ url }, { url }]
    expect(reply.json()).toEqual({ pictures, prompt: 'a cat', on: false })
    expect((await run(pic, input)).json()).toEqual({ pictures: [{ url }], prompt: 'a cat' })
    const sound = await run('acme/say-1', {})
    expect([sound.status, sound.headers['content-type']]).toEqual([200, 'audio/mpeg'])
    expect(sound.bytes.length).toBeGreaterThan(1000)
  },
  world(),
)

provesHosted(
  'router-runs/result-headers',
  async (subject) => {
    const { run } = await routerOf(subject)
    const prices = [
      [pic, '10'],
      ['acme/say-1', '2.35'],
      ['acme/plain', '0'],
    ] as const
    for (const [id, price] of prices) {
      const reply = await run(id, input)
      idOf(reply)
      const nosniff = { 'x-content-type-options': 'nosniff', 'x-comfy-credits-used': price }
      expect(reply.headers).toMatchObject(nosniff)
      for (const name of ['idempotent-replayed', 'x-comfy-error-type'])
        expect(reply.headers).not.toHaveProperty(name)
    }
  },
  world(),
)

provesHosted(
  ['router-runs/media', 'router-runs/size'],
  async (subject) => {
    const { run } = await routerOf(subject)
    const sizes = [
      [input, [64, 48]],
      [{ prompt: 'a cat', size: '32x16' }, [32, 16]],
      [{ prompt: 'a cat', parameters: { size: '16*32' } }, [16, 32]],
    ] as const
    const seen = new Set<string>()
    for (const [asked, size] of sizes) {
      const [{ url }] = (await run(pic, asked)).json().pictures
      const file = await fetchLink(url)
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png'])
      const { bytes } = file
      expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual(size)
      seen.add(url)
    }
    expect(seen.size).toBe(3)
  },
  world(),
)

provesHosted(
  'router-runs/takes-time',
  async (subject) => {
    const { begin, send } = await routerOf(subject)
    const { reply, hasCome } = await begin(pic, input)
    await subject.emulator?.advance(399)
    await send('GET', '')
    expect(hasCome()).toBe(false)
    await subject.emulator?.advance(1)
    expect((await reply).status).toBe(200)
  },
  world(),
)

provesHosted(
  'router-runs/bad-body',
  async (subject) => {
    const { send } = await routerOf(subject)
    for (const path of [`/${pic}`, `/${pic}/estimate`, `/${pic}/requests`]) {
      expectRouterError(await send('POST', path, 'no JSON'), 400, 'invalid_input')
      expectRouterError(await send('POST', path, ''), 400, 'invalid_input')
      for (const value of ['[]', '"text"', '3', 'null']) {
        const { detail } = expectRouterError(await send('POST', path, value), 422, 'invalid_input')
        expect(detail).toMatchObject([{ loc: ['body'], type: 'dict_type' }])
      }
    }
  },
  world(),
)

/** Inputs that do not fit, with the place and the type of their errors. */
const wrong: readonly (readonly [object, ...(readonly [string, string])[]])[] = [
  [{}, ['prompt', 'missing']],
  [{ prompt: 3 }, ['prompt', 'string_type']],
  [{ prompt: 'x' }, ['prompt', 'string_too_short']],
  [{ ...input, count: 1.5 }, ['count', 'int_type']],
  [{ ...input, count: '1' }, ['count', 'int_type']],
  [{ ...input, count: 0 }, ['count', 'greater_than_equal']],
  [{ ...input, count: 5 }, ['count', 'less_than_equal']],
  [{ ...input, style: 'odd' }, ['style', 'literal_error']],
  [{ ...input, tags: 'a' }, ['tags', 'list_type']],
  [{ ...input, tags: ['a', 'b', 'c'] }, ['tags', 'too_long']],
  [{ ...input, tags: ['a', 2] }, ['tags.1', 'string_type']],
  [{ ...input, deep: {} }, ['deep.on', 'missing']],
  [{ ...input, deep: { on: 'yes' } }, ['deep.on', 'bool_type']],
  [{ ...input, deep: [] }, ['deep', 'dict_type']],
  [{ ...input, either: 'x' }, ['either', 'union_type']],
  [{ prompt: null, count: -1 }, ['prompt', 'string_type'], ['count', 'greater_than_equal']],
]

provesHosted(
  'router-runs/fields',
  async (subject) => {
    const { send, run } = await routerOf(subject)
    for (const [given, ...places] of wrong) {
      const reply = await send('POST', `/${pic}`, given)
      const { detail } = expectRouterError(reply, 422, 'invalid_input')
      const found = detail.map((one: { loc: readonly unknown[]; type: string }) => [
        one.loc.slice(1).join('.'),
        one.type,
      ])
      expect(found).toEqual(places)
      for (const { loc, msg } of detail) expect([loc[0], typeof msg]).toEqual(['body', 'string'])
    }
    const all = { count: 4, style: 'bold', tags: ['a'], deep: { on: true }, either: null }
    expect((await run(pic, { ...input, ...all })).status).toBe(200)
  },
  world(),
)

provesHosted(
  'router-runs/unknown-fields',
  async (subject) => {
    const { send, run } = await routerOf(subject)
    const more = { ...input, unheard_of: 1 }
    expect((await run(pic, more)).status).toBe(200)
    const path = `/${pic}?reject_unknown_fields=true`
    const { detail } = expectRouterError(await send('POST', path, more), 422, 'invalid_input')
    expect(detail).toContainEqual(
      expect.objectContaining({ loc: ['body', 'unheard_of'], type: 'extra_forbidden' }),
    )
  },
  world(),
)

provesHosted(
  'router-runs/provider',
  async (subject) => {
    const { send, run } = await routerOf(subject)
    for (const name of ['nobody', 'runware'])
      expectRouterError(
        await send('POST', `/${pic}?model_provider=${name}`, input),
        400,
        'invalid_input',
      )
    for (const name of ['fal', 'default', 'comfy', 'comfyui'])
      expect((await run(pic, input, {}, `?model_provider=${name}`)).status).toBe(200)
  },
  world(),
)

provesHosted(
  'router-runs/strict',
  async (subject) => {
    const { send, run } = await routerOf(subject)
    const foreign = { text: 'in other words' }
    const strict = await run(pic, foreign, {}, '?model_provider=fal&strict_mode=true')
    expect(strict.json()).toEqual({ images: ['in other words'] })
    for (const query of ['?model_provider=fal', '?strict_mode=true', ''])
      expectRouterError(await send('POST', `/${pic}${query}`, foreign), 422, 'invalid_input')
  },
  world(),
)

provesHosted(
  'router-runs/long-input',
  async (subject) => {
    const { run } = await routerOf(subject)
    const echo = async (length: number) =>
      (await run(pic, { ...input, prompt: 'x'.repeat(length) })).json().prompt
    expect(await echo(16_382)).toHaveLength(16_382)
    expect(await echo(16_383)).toBeUndefined()
  },
  world(),
)

provesHosted(
  'router-runs/body-limit',
  async (subject) => {
    const { send } = await routerOf(subject)
    const large = { prompt: 'x'.repeat(2 ** 20) }
    for (const path of ['', '/estimate', '/requests'])
      expectRouterError(await send('POST', `/${pic}${path}`, large), 413, 'invalid_input')
  },
  world({ maxUploadSize: 1 }),
)

const poor = { accounts: [{ ...account('test-key'), balance: 25 }] }

provesHosted(
  ['router-runs/no-credits', 'router-runs/charge'],
  async (subject) => {
    const { send, run, begin } = await routerOf(subject)
    const cents = async () => (await subject.get('/billing/balance')).json().amount_micros
    const before = await cents()
    const { reply } = await begin(pic, input)
    expect(await cents()).toBe(before)
    await subject.idle()
    await reply
    expect(await cents()).toBeCloseTo((before * 15) / 25, 2)
    expectRouterError(await send('POST', `/${pic}`, {}), 422, 'invalid_input')
    // Two calls of which only one can be paid.
    const open = await begin(pic, input)
    expectRouterError(await send('POST', `/${pic}`, input), 402, 'insufficient_credits')
    await subject.idle()
    await open.reply
    expect(await cents()).toBeCloseTo((before * 5) / 25, 2)
    expect((await run('acme/say-1', {})).status).toBe(200)
    expectRouterError(await send('POST', `/${pic}/requests`, input), 402, 'insufficient_credits')
  },
  world(poor),
)

provesHosted(
  'router-runs/concurrency',
  async (subject) => {
    const { send, begin, run } = await routerOf(subject)
    const open = [await begin(pic, input), await begin(pic, input), await begin(pic, input)]
    const busy = await send('POST', `/${pic}`, input)
    expectRouterError(busy, 429, 'concurrency_limit_exceeded')
    expect(Number(busy.headers['retry-after'])).toBeGreaterThan(0)
    await subject.idle()
    for (const { reply } of open) expect((await reply).status).toBe(200)
    expect((await run(pic, input)).status).toBe(200)
  },
  world({ accounts: [account('test-key', 'creator')] }),
)

provesHosted(
  'router-runs/estimate',
  async (subject) => {
    const { send, run } = await routerOf(subject)
    const estimate = async (id: string) =>
      fitting(routerEstimate, await send('POST', `/${id}/estimate`, input))
    expect(await estimate(pic)).toMatchObject({
      source: 'exact',
      currency: 'USD',
      provider: 'acme',
      model: 'pic-1',
      amount: '0.04739336',
      amount_cents: 4.7393,
      credits: 10,
    })
    const unknown = await estimate('acme/plain')
    expect(unknown).toMatchObject({ source: 'unknown', reason: expect.any(String) })
    expect(unknown).not.toHaveProperty('amount')
    expectRouterError(await send('POST', `/${pic}/estimate`, {}), 422, 'invalid_input')
    for (let times = 0; times < 5; times++) await estimate(pic)
    expect((await run(pic, input)).status).toBe(200)
  },
  world({ accounts: [{ ...account('test-key'), balance: 10 }] }),
)
