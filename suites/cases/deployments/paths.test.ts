// The paths of each deployment: those of hosted stand below its prefix, some under new names, and neither has all of the other.

import { hostedModels } from '../../../spec/server/catalog.ts'
import { endpoints } from '../../../spec/index.ts'
import type { Endpoint } from '../../../spec/language.ts'
import { everyHostedPath, everyPath, pathsOnlyOn } from '../../generate/every-path.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { notFound, replyIn } from '../../judge/hosted/refusals.ts'
import { proves } from '../../judge/proves.ts'
import type { Reply } from '../../judge/reply.ts'
import { wireExchanges } from '../../judge/rows.ts'
import { exchange } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const key = { 'X-API-Key': 'test-key' }
/** The credentials of both hosted APIs. */
const bothKeys = { ...key, Authorization: 'Bearer test-key' }

/** Expects that hosted answers a request as it does where there is nothing. */
function expectNotFound(reply: Reply, method: string, path: string): void {
  // An answer to HEAD has no body that says so.
  const isNotFound = method === 'HEAD' ? reply.status === 404 : notFound(reply)
  expect({ method, path, isNotFound }).toEqual({ method, path, isNotFound: true })
}

/** What each local server has, and what changes nothing. */
const localPaths = [
  '/queue',
  '/history?max_items=1',
  '/prompt',
  '/system_stats',
  '/models',
  '/object_info/SaveImage',
]

proves('deployments/local-prefix', async ({ url, isOwn }) => {
  const ok = { status: 200 }
  await wireExchanges(
    url,
    localPaths.map((path) => ['GET', path, ok]),
  )
  if (isOwn)
    await wireExchanges(
      url,
      everyPath.map(({ method, path, status, body }) => [method, path, { status }, {}, body]),
    )
})

const below = everyHostedPath.filter(({ path }) => path.startsWith('/api/'))

proves('deployments/hosted-prefix', async ({ raw, url }) => {
  expect(below.length).toBeGreaterThan(20)
  for (const { method, path, bodies } of below) {
    const reply = await raw(method, path, undefined, key)
    expect([path, Object.keys(bodies)]).toEqual([path, expect.arrayContaining([`${reply.status}`])])
  }
  const there = ['object_info', 'queue', 'prompt', 'features', 'settings', 'userdata', 'users']
  await wireExchanges(
    url,
    there.map((path) => ['GET', `/api/${path}`, { status: 200 }, key]),
  )
})

proves('deployments/hosted-unprefixed', async ({ raw, url }) => {
  for (const { method, path } of below) {
    for (const headers of [key, {}]) {
      const reply = await raw(method, path.slice('/api'.length), undefined, headers)
      expectNotFound(reply, method, path)
    }
  }
  for (const path of ['/', '/manager', '/manager/queue/status', '/api/manager/queue/status']) {
    expectNotFound(await raw('GET', path, undefined, key), 'GET', path)
  }
  // Neither as a handshake nor as a request.
  const upgrade = { Connection: 'Upgrade, close', Upgrade: 'websocket' }
  const handshake = {
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  for (const headers of [{}, { ...upgrade, ...handshake }]) {
    const reply = await exchange(url, 'GET', '/api/ws?token=test-key', { ...key, ...headers })
    expect(notFound(replyIn(reply))).toBe(true)
  }
})

proves('deployments/hosted-models-renamed', async ({ raw }) => {
  const folders = await raw('GET', '/api/experiment/models', undefined, key)
  expect(folders.json().map(({ name }: { name: string }) => name)).toContain('loras')
  fitting(hostedModels, await raw('GET', '/api/experiment/models/loras', undefined, key))
})

/** What the service has in addition, and this server lacks. */
const notBuilt = ['/api/billing/capabilities', '/api/billing/topup', '/api/hub/workflows']

proves('deployments/hosted-not-built', async ({ raw }) => {
  for (const path of notBuilt) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const reply = await raw(method, path, method === 'GET' ? undefined : '{}', key)
      expectNotFound(reply, method, path)
    }
  }
})

proves('deployments/hosted-old-models', async ({ raw }) => {
  const all: Endpoint[] = Object.values(endpoints)
  const old = all.filter(({ path, hostedPath }) => hostedPath !== undefined && /model/.test(path))
  expect(old.map(({ path }) => path)).toEqual(['/models', '/models/{folder}'])
  for (const path of ['/models', '/models/loras', '/models/a/b']) {
    for (const method of ['GET', 'POST']) {
      const reply = await raw(method, `/api${path}`, undefined, key)
      expectNotFound(reply, method, path)
    }
  }
})

proves('deployments/paths-of-local', async ({ raw }) => {
  const paths = pathsOnlyOn('local')
  const known = ['/i18n', '/v2/userdata', '/internal/logs', '/embeddings', '/']
  expect(paths.map(({ path }) => path)).toEqual(expect.arrayContaining(known))
  for (const { method, path } of paths) {
    for (const prefix of ['', '/api']) {
      const reply = await raw(method, prefix + path, undefined, bothKeys)
      expectNotFound(reply, method, prefix + path)
    }
  }
})

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

proves('deployments/paths-of-hosted', async ({ raw }) => {
  const paths = pathsOnlyOn('hosted')
  const known = ['/history_v2', '/job/nowhere/status', '/jobs/nowhere', '/user']
  expect(paths.map(({ path }) => path)).toEqual(expect.arrayContaining(known))
  for (const { method, path } of paths) {
    for (const prefix of ['', '/api']) {
      const reply = await raw(method, prefix + path, isRead(method) ? undefined : '{}')
      const asked = `${method} ${prefix}${path}`
      expect({ asked, status: reply.status }).toEqual({
        asked,
        status: isRead(method) ? 404 : 405,
      })
      if (isRead(method)) expect(reply.text).toBe('')
      else expect(reply.headers['allow']).toBe('GET,HEAD')
    }
  }
})
