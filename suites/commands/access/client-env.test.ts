// What a test has at hand for clients of its server.

import { startEmulator } from 'flowdouble'
import { createEmulator } from 'flowdouble/browser'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { forTest } from '../../support/for-test.ts'

test('a hosted server has the key of an account that may submit, and the environment of clients', async () => {
  const { url, apiKey, clientEnv } = await forTest(startEmulator({ deployment: 'hosted' }))
  expect({ apiKey, clientEnv }).toEqual({
    apiKey: 'test-key',
    clientEnv: {
      COMFY_BASE_URL: url,
      COMFY_ROUTER_BASE_URL: url,
      COMFY_API_BASE_URL: url,
      COMFY_API_KEY: 'test-key',
      COMFY_CLOUD_BASE_URL: url,
      COMFY_CLOUD_API_KEY: 'test-key',
    },
  })
})

test('the key is that of the first account that is not free, of a world too, and none on local', async () => {
  const accounts = [
    { user: 'poor', keys: ['poor-key'], tier: 'free' as const },
    { user: 'rich', keys: ['rich-key', 'second-key'] },
  ]
  const server = await forTest(startEmulator({ deployment: 'hosted', accounts }))
  const world = await server.world({ name: 'one' })
  expect([server.apiKey, world.apiKey]).toEqual(['rich-key', 'rich-key'])
  expect(world.clientEnv['COMFY_BASE_URL']).toBe(`${server.url}/w/one`)
  const local = await forTest(startEmulator())
  expect([local.apiKey, local.clientEnv]).toEqual([null, {}])
  const inPage = await forTest(createEmulator({ deployment: 'hosted' }))
  expect(inPage.apiKey).toBe('test-key')
})
