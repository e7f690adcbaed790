// The reports of a hosted server about itself and about the requesting account.

import { hostedFeatures } from '../../../spec/server/messages.ts'
import { hostedSystemStats } from '../../../spec/server/system.ts'
import { codeOf, notFound } from '../../judge/hosted/refusals.ts'
import { violations } from '../../judge/judge.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const hosted = { deployment: 'hosted' } as const

proves(
  'system/statistics',
  async ({ get }) => {
    const reply = await get('/system_stats')
    expect({
      status: reply.status,
      violations: violations(hostedSystemStats, reply.json()),
    }).toEqual({ status: 200, violations: [] })
    const { system, devices } = reply.json()
    expect(system.comfyui_version).toMatch(/^\d+\.\d+\.\d+/)
    expect(system.ram_total).toBeGreaterThanOrEqual(system.ram_free)
    expect(devices).toHaveLength(1)
    expect(devices[0].vram_total).toBeGreaterThanOrEqual(devices[0].vram_free)
  },
  hosted,
)

proves('system/hosted-statistics', async ({ get }) => {
  const { system, devices } = (await get('/system_stats')).json()
  const { system: systemShape, devices: deviceShape } = hostedSystemStats.properties
  expect(Object.keys(system).toSorted()).toEqual(Object.keys(systemShape.properties).toSorted())
  expect(Object.keys(devices[0])).toEqual(Object.keys(deviceShape.items.properties))
  expect(system.deploy_environment).toBe('cloud')
  expect(system.cloud_version).toMatch(/\d/)
})

proves(
  'system/features',
  async ({ get }) => {
    const flags = (await get('/features')).json()
    expect(violations(hostedFeatures, flags)).toEqual([])
    expect(Number.isInteger(flags.max_upload_size)).toBe(true)
  },
  hosted,
)

proves(
  ['system/free', 'system/hosted-free'],
  async ({ as, post, request }) => {
    for (const body of [{}, { unload_models: true }, { unload_models: true, free_memory: true }]) {
      const { status, text, headers } = await post('/free', body)
      expect({ status, text, contentType: headers['content-type'] }).toEqual({
        status: 200,
        text: '',
        contentType: undefined,
      })
    }
    const flags = ['{"free_memory": {}}', '{"unload_models": null}', '{"free_memory": "true"}']
    for (const broken of ['', 'no JSON', '[]', 'true', 'null', '{', ...flags]) {
      expect(codeOf(await request('POST', '/free', broken), 400)).toBe('BAD_REQUEST')
    }
    expect((await as('test-key-free').post('/free', {})).status).toBe(200)
    expect((await as('').post('/free', {})).status).toBe(401)
  },
  hosted,
)

provesQuirk('hosted.no-free', async ({ get, post }) => {
  expect(notFound(await post('/free', { free_memory: true }))).toBe(true)
  expect(notFound(await get('/free'))).toBe(true)
})

proves('system/hosted-feedback', async ({ post, request }) => {
  const fine = [
    { type: 'general' },
    { type: 'missing_nodes', content: 'A node.', rating: 1, metadata: { any: 1 } },
    { type: 'missing_models', rating: 5 },
  ]
  for (const body of fine) {
    const { status, text } = await post('/feedback', body)
    expect({ status, text }).toEqual({ status: 201, text: '' })
  }
  const float = '{"type": "general", "rating": 5.0}'
  expect((await request('POST', '/feedback', float)).status).toBe(201)
  const wrong = [
    {},
    [],
    { type: 'praise' },
    { type: 'general', rating: 0 },
    { type: 'general', rating: 6 },
    { type: 'general', rating: 1.5 },
    { type: 'general', rating: 'five' },
    { type: 'general', content: 1 },
    { type: 'general', metadata: [] },
  ]
  for (const body of wrong) expect(codeOf(await post('/feedback', body), 400)).toBe('BAD_REQUEST')
  expect(codeOf(await request('POST', '/feedback', '{'), 400)).toBe('BAD_REQUEST')
})
