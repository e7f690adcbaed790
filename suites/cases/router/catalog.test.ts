// The catalog of the Router: its pages, the entry and the document of a model.

import { routerDocument, routerModelDetail, routerPage } from '../../../spec/router/router.ts'
import { expect } from '../../judge/expect.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { expectRouterError, noModel, routerOf, type Router } from '../../judge/hosted/router.ts'
import { proves, provesHosted } from '../../judge/proves.ts'

const page = async ({ send }: Router, query = ''): Promise<any> =>
  fitting(routerPage, await send('GET', query))

const idsOf = (data: readonly { id: string }[]): readonly string[] => data.map(({ id }) => id)

/** All pages from the first on. */
async function walk(router: Router, limit: number): Promise<readonly any[]> {
  const pages = [await page(router, `?limit=${limit}`)]
  for (let last = pages[0]; last.has_more; last = pages.at(-1))
    pages.push(await page(router, `?limit=${limit}&cursor=${encodeURIComponent(last.next_cursor)}`))
  return pages
}

proves('router/list', async (subject) => {
  const router = await routerOf(subject)
  const { data, has_more, next_cursor } = await page(router)
  expect(data).not.toEqual([])
  expect(has_more).toBe(next_cursor !== undefined)
  for (const { id, provider, model } of data) expect(id).toBe(`${provider}/${model}`)
  if (subject.isOwn) expect(data[0].billing).toEqual({ charges_on_policy_rejection: 'unknown' })
})

proves('router/list-pages', async (subject) => {
  const router = await routerOf(subject)
  const pages = await walk(router, 2)
  const ids = pages.flatMap(({ data }) => idsOf(data))
  expect(pages.slice(0, -1).every(({ data }) => data.length === 2)).toBe(true)
  expect(pages.every(({ limit }) => limit === 2)).toBe(true)
  expect(new Set(ids).size).toBe(ids.length)
  const whole = await walk(router, 100)
  expect(ids.toSorted()).toEqual(whole.flatMap(({ data }) => idsOf(data)).toSorted())
  expect('next_cursor' in (pages.at(-1) ?? {})).toBe(false)
})

proves('router/list-limit', async (subject) => {
  const router = await routerOf(subject)
  const limits = [
    ['', 20],
    ['?limit=7', 7],
    ['?limit=100', 100],
    ['?limit=101', 100],
    ['?limit=0', 20],
    ['?limit=-3', 20],
  ] as const
  for (const [query, limit] of limits) expect(await page(router, query)).toMatchObject({ limit })
})

proves('router/list-cursor', async (subject) => {
  const { send } = await routerOf(subject)
  for (const cursor of ['not-from-here', '0', 'x'.repeat(512)])
    expectRouterError(await send('GET', `?cursor=${cursor}`), 400, 'invalid_input')
})

proves('router/detail', async (subject) => {
  const router = await routerOf(subject)
  const { data } = await page(router)
  for (const entry of data.slice(0, 3))
    expect(fitting(routerModelDetail, await router.send('GET', `/${entry.id}`))).toMatchObject(
      entry,
    )
})

proves('router/unknown-model', async (subject) => {
  const { send } = await routerOf(subject)
  for (const path of ['', '/openapi.json'])
    for (const id of [noModel, 'Nobody/X', '%20/%20'])
      expectRouterError(await send('GET', `/${id}${path}`), 404, 'model_not_found')
})

proves('router/suggestions', async (subject) => {
  const { send, model } = await routerOf(subject)
  const { detail } = expectRouterError(await send('GET', `/${model}x`), 404, 'model_not_found')
  expect(detail).toContain(model)
})

proves('router/document', async (subject) => {
  const { send, model } = await routerOf(subject)
  const { openapi, info, paths } = fitting(
    routerDocument,
    await send('GET', `/${model}/openapi.json`),
  )
  expect(openapi).toMatch(/^3\.1\.\d+$/)
  if (subject.isOwn) expect(info).toMatchObject({ title: model, version: '1' })
  const [path = ''] = Object.keys(paths)
  expect(path.endsWith(`/${model}`)).toBe(true)
  const { requestBody, responses } = paths[path].post
  expect(requestBody.content['application/json'].schema.type).toBe('object')
  expect(Object.keys(responses[200].content)).toHaveLength(1)
})

proves('router/document-tag', async (subject) => {
  const { send, model } = await routerOf(subject)
  const path = `/${model}/openapi.json`
  const { headers } = await send('GET', path)
  const { etag = '' } = headers
  expect(etag).toMatch(/^"[^"]+"$/)
  for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const { status, text } = await send('GET', path, undefined, { 'If-None-Match': tags })
    expect([status, text]).toEqual([304, ''])
  }
  const { status } = await send('GET', path, undefined, { 'If-None-Match': '"other"' })
  expect(status).toBe(200)
})

proves('router/document-cache', async (subject) => {
  const { send, model } = await routerOf(subject)
  const { headers } = await send('GET', `/${model}/openapi.json`)
  expect(headers['cache-control']).toBe('private, max-age=300, must-revalidate')
})

const input = { type: 'object', properties: { text: { type: 'string' } } }

proves(
  'scenario/model-types',
  async (subject) => {
    const router = await routerOf(subject)
    const { data } = await page(router, '?limit=100')
    expect(idsOf(data)).toContain('acme/pic-1')
    expect(data.find(({ id }: { id: string }) => id === 'bfl/flux-2-pro').billing).toEqual({
      charges_on_policy_rejection: 'sometimes',
    })
    const { paths } = (await router.send('GET', '/acme/pic-1/openapi.json')).json()
    const { requestBody, responses } = paths['/v2/models/acme/pic-1'].post
    expect(requestBody.content['application/json'].schema).toEqual(input)
    expect(responses[200].content['application/json'].schema).toEqual({
      type: 'object',
      properties: { url: { type: 'string', format: 'uri' }, n: { type: 'number' } },
    })
  },
  {
    deployment: 'hosted',
    scenario: {
      version: 1,
      modelTypes: {
        'acme/pic-1': { input, output: { url: { media: 'png' }, n: 1 } },
        'bfl/flux-2-pro': { input, bytes: 'mp3', chargesOnPolicyRejection: 'sometimes' },
      },
    },
  },
)

const day = 86_400_000

provesHosted(
  'scenario/model-retired',
  async (subject) => {
    const router = await routerOf(subject)
    const ids = async () => idsOf((await page(router)).data)
    expect(await ids()).toContain('acme/old')
    await subject.emulator?.advance(day)
    expect(await ids()).not.toContain('acme/old')
    const { detail } = expectRouterError(
      await router.send('GET', '/acme/old'),
      404,
      'model_not_found',
    )
    expect(detail).toBe('acme/old was retired on 2026-01-02; use acme/new')
  },
  {
    clock: 'manual',
    epoch: Date.UTC(2026, 0, 1),
    scenario: {
      version: 1,
      modelTypes: {
        'acme/old': { input, output: {}, retired: { on: '2026-01-02', successor: 'acme/new' } },
        'acme/new': { input, output: {} },
      },
    },
  },
)
