// Any server itself: statistics, freeing memory, features and the start page, while others use it.

import { featureFlags } from '../../../spec/server/messages.ts'
import { queueLength, systemStats } from '../../../spec/server/system.ts'
import { talking } from '../../generate/graphs.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { violations } from '../../judge/judge.ts'
import { cachedNodes, occupy, submitFor, onlyOurs, shown } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { exchange, summaryOf } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

proves('system/statistics', async ({ get }) => {
  const reply = await get('/system_stats')
  expect(reply.status).toBe(200)
  const { system, devices } = reply.json()
  expect(system.comfyui_version).toMatch(/^\d+\.\d+\.\d+/)
  expect(system.ram_total).toBeGreaterThanOrEqual(system.ram_free)
  expect(devices[0].vram_total).toBeGreaterThanOrEqual(devices[0].vram_free)
  expect(violations(systemStats, reply.json())).toEqual([])
})

proves('system/statistics-fields', async ({ get }) => {
  const reply = await get('/system_stats')
  const { system, devices } = reply.json()
  expect(violations(systemStats, reply.json())).toEqual([])
  const later = new Set(['comfy_package_versions', 'deploy_environment'])
  const fields = Object.keys(systemStats.properties.system.properties)
  expect(Object.keys(system)).toEqual(
    expect.arrayContaining(fields.filter((name) => !later.has(name))),
  )
  expect(devices).toHaveLength(1)
  expect(Object.keys(devices[0]).toSorted()).toEqual(
    Object.keys(systemStats.properties.devices.items.properties).toSorted(),
  )
  const { ram_total, ram_free } = system
  const { vram_total, vram_free, torch_vram_total, torch_vram_free } = devices[0]
  const sizes = [ram_total, ram_free, vram_total, vram_free, torch_vram_total, torch_vram_free]
  expect(sizes.filter((size) => !Number.isSafeInteger(size) || size < 0)).toEqual([])
  expect(ram_total).toBeGreaterThan(0)
})

proves(
  'system/free',
  async ({ post, request }) => {
    const bodies = [{}, { unload_models: true }, { free_memory: true }]
    for (const body of [...bodies, { unload_models: true, free_memory: true }]) {
      expect((await post('/free', body)).status).toBe(200)
    }
    for (const broken of ['', 'no JSON', '[]', 'true']) {
      expect({ broken, status: (await request('POST', '/free', broken)).status }).toEqual({
        broken,
        status: 500,
      })
    }
  },
  { deployment: 'local' },
)

proves('system/free-empties-cache', async (subject) => {
  const session = await subject.connect(subject.unique('me'))
  const { '1': picture, '2': output } = shown(subject, 'freed')
  const graph = { a: picture!, b: { ...output!, inputs: { images: ['a', 0] } } }
  await subject.run(session, graph)
  // While a run is at work: a server looks at it when that has ended, but at any time where it has nothing to do.
  for (const cached of [['a', 'b'], []]) {
    const held = await occupy(subject, session, graph)
    if (cached.length === 0) await subject.post('/free', { free_memory: true })
    await held.stop()
    expect(cachedNodes(await subject.run(session, graph))).toEqual(cached)
  }
})

proves('system/free-reply', async (subject) => {
  const session = await subject.connect(subject.unique('me'))
  await subject.run(session, talking(subject.unique('before')))
  await onlyOurs(subject, [])
  const from = session.messages().length
  const bodies = ['{"unload_models": true, "free_memory": true}', '{"free_memory": true}', '{}']
  for (const body of bodies)
    expect(summaryOf(await exchange(subject.url, 'POST', '/free', {}, body))).toEqual({
      status: 200,
      type: undefined,
      length: '0',
      body: '',
    })
  await subject.idle()
  await subject.run(session, talking(subject.unique('after')))
  await onlyOurs(subject, [])
  // Between the two runs nothing came but that the second is queued and starts.
  const types = session.messages().map(({ type }) => type)
  expect(types.slice(from, from + 3)).toEqual(['status', 'status', 'execution_start'])
})

proves(
  'system/queue-length',
  async (subject) => {
    const session = await subject.connect(subject.unique('me'))
    const lengthNow = async () => fitting(queueLength, await subject.get('/prompt'))
    const length = (queue_remaining: number) => ({ exec_info: { queue_remaining } })
    const held = await occupy(subject, session)
    const ids = [held.prompt_id]
    for (const name of ['one', 'two']) {
      await onlyOurs(subject, ids)
      expect(await lengthNow()).toEqual(length(ids.length))
      ids.push(await submitFor(subject, session, talking(subject.unique(name))))
    }
    await onlyOurs(subject, ids)
    expect(await lengthNow()).toEqual(length(3))
    await subject.post('/queue', { delete: [ids[1]] })
    await onlyOurs(subject, ids)
    expect(await lengthNow()).toEqual(length(2))
    await held.stop()
    await subject.idle()
    await onlyOurs(subject, [])
    expect(await lengthNow()).toEqual(length(0))
  },
  { deployment: 'local' },
)

proves('system/features', async ({ connect, get }) => {
  const flags = (await get('/features')).json()
  expect(violations(featureFlags, flags)).toEqual([])
  expect(flags).toMatchObject({ supports_preview_metadata: true })
  expect(Number.isInteger(flags.max_upload_size)).toBe(true)
  const session = await connect()
  session.send('{"type": "feature_flags", "data": {}}')
  expect((await session.next(({ type }) => type === 'feature_flags')).data).toEqual(flags)
})

proves('system/home', async ({ url }) => {
  const { status, body, header } = await exchange(url, 'GET', '/')
  expect([status, body.slice(0, 15).toLowerCase()]).toEqual([200, '<!doctype html>'])
  const names = ['cache-control', 'pragma', 'expires'] as const
  // The exact value is a rule of each generation [http/cache-control, http/no-store].
  expect(names.map((name) => header(name)?.slice(0, 3))).toEqual(['no-', 'no-', '0'])
  expect(header('content-type')).toMatch(/^text\/html/)
})

proves('system/statistics-os', async ({ get }) => {
  expect(['posix', 'nt']).toContain((await get('/system_stats')).json().system.os)
})

proves('system/statistics-packages', async ({ get }) => {
  const { system } = (await get('/system_stats')).json()
  expect(['linux', 'win32', 'darwin']).toContain(system.os)
  expect(system).toMatchObject({ deploy_environment: expect.any(String) })
  const names = system.comfy_package_versions.map(({ name }: { name: string }) => name)
  expect(names).toContain('comfyui-frontend-package')
  expect(violations(systemStats, (await get('/system_stats')).json())).toEqual([])
})
