// A server itself: statistics, freeing memory, the length of the queue, the start page, feedback.

import { hostedSystemStats, queueLength, systemStats } from '../../../spec/server/system.ts'
import { talking } from '../../generate/graphs.ts'
import { keepBusy } from '../../judge/hosted/busy-account.ts'
import { fitting, submitAll } from '../../judge/hosted/jobs.ts'
import { notFound, refused } from '../../judge/hosted/refusals.ts'
import { cachedNodes, occupy, submitFor, onlyOurs, shown } from '../../judge/own-runs.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { exchanges, noBody, withEach } from '../../judge/rows.ts'
import { Skip } from '../../judge/skip.ts'
import { expect } from '../../judge/expect.ts'
import { listedIds } from '../../judge/responses.ts'

proves('system/statistics', async ({ deployment, get }) => {
  const form = { local: systemStats, hosted: hostedSystemStats }[deployment]
  const { system, devices } = fitting(form, await get('/system_stats'))
  expect(system.comfyui_version).toMatch(/^\d+\.\d+\.\d+/)
  expect(system.ram_total).toBeGreaterThanOrEqual(system.ram_free)
  expect(devices[0].vram_total).toBeGreaterThanOrEqual(devices[0].vram_free)
})

proves('system/statistics-fields', async ({ get }) => {
  const { system, devices } = fitting(systemStats, await get('/system_stats'))
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

proves('system/hosted-statistics', async ({ get }) => {
  const { system, devices } = (await get('/system_stats')).json()
  const { system: systemShape, devices: deviceShape } = hostedSystemStats.properties
  expect(Object.keys(system).toSorted()).toEqual(Object.keys(systemShape.properties).toSorted())
  expect(Object.keys(devices[0])).toEqual(Object.keys(deviceShape.items.properties))
  expect(devices).toHaveLength(1)
  expect(system.deploy_environment).toBe('cloud')
  expect(system.cloud_version).toMatch(/\d/)
})

proves('system/statistics-os', async ({ get }) => {
  expect(['posix', 'nt']).toContain((await get('/system_stats')).json().system.os)
})

proves('system/statistics-packages', async ({ get }) => {
  const { system } = fitting(systemStats, await get('/system_stats'))
  expect(['linux', 'win32', 'darwin']).toContain(system.os)
  expect(system).toMatchObject({ deploy_environment: expect.any(String) })
  const names = system.comfy_package_versions.map(({ name }: { name: string }) => name)
  expect(names).toContain('comfyui-frontend-package')
})

const freeing = [
  {},
  { unload_models: true },
  { free_memory: true },
  { unload_models: true, free_memory: true },
]
const notObjects = ['', 'no JSON', '[]', 'true']

proves(
  'system/free',
  (subject) =>
    exchanges(subject, [
      ...withEach(freeing, 'POST', '/free', 200),
      ...withEach(notObjects, 'POST', '/free', 500),
    ]),
  { deployment: 'local' },
)

proves(
  ['system/free', 'system/hosted-free'],
  async (subject) => {
    const flags = ['{"free_memory": {}}', '{"unload_models": null}', '{"free_memory": "true"}']
    const broken = [...notObjects, 'null', '{', ...flags]
    await exchanges(subject, [
      ...withEach(freeing, 'POST', '/free', 200, '', { 'content-type': undefined }),
      ...withEach(broken, 'POST', '/free', 400, ...refused('BAD_REQUEST')),
    ])
    await exchanges(subject.as('test-key-free'), [['POST', '/free', {}, 200]])
    await exchanges(subject.as(''), [['POST', '/free', {}, 401]])
  },
  { deployment: 'hosted' },
)

provesQuirk('hosted.no-free', async ({ get, post }) => {
  expect(notFound(await post('/free', { free_memory: true }))).toBe(true)
  expect(notFound(await get('/free'))).toBe(true)
})

proves('system/free-empties-cache', async (subject) => {
  const session = await subject.connect(subject.unique('me'))
  const { '1': picture, '2': output } = shown(subject, 'freed')
  const graph = { a: picture!, b: { ...output!, inputs: { images: ['a', 0] } } }
  await subject.run(session, graph)
  // While a run is at work: a server looks at it when that has ended, but at any time where it has nothing to do.
  for (const free_memory of [false, true]) {
    const held = await occupy(subject, session, graph)
    await subject.post('/free', { unload_models: !free_memory, free_memory })
    await held.stop()
    expect(cachedNodes(await subject.run(session, graph))).toEqual(free_memory ? [] : ['a', 'b'])
  }
  if (!subject.isOwn) return
  await subject.post('/free', { free_memory: true })
  expect(cachedNodes(await subject.run(session, graph))).toEqual([])
})

proves('system/free-reply', async (subject) => {
  const session = await subject.connect(subject.unique('me'))
  await subject.run(session, talking(subject.unique('before')))
  await onlyOurs(subject, [])
  const from = session.messages().length
  const bodies = ['{"unload_models": true, "free_memory": true}', '{"free_memory": true}', '{}']
  await exchanges(subject, withEach(bodies, 'POST', '/free', 200, ...noBody))
  await subject.idle()
  await subject.run(session, talking(subject.unique('after')))
  await onlyOurs(subject, [])
  // Between the two runs nothing came but that the second is listedIds and starts.
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

proves(
  'system/queue-length',
  async (subject) => {
    const busy = await keepBusy(subject)
    const own = [...busy, ...(await submitAll(subject, ['a', 'b'].map(talking)))]
    const before = await listedIds(subject)
    const { exec_info } = fitting(queueLength, await subject.get('/prompt'))
    const after = await listedIds(subject)
    const listed = [...before.running, ...before.pending, ...after.running, ...after.pending]
    if (listed.some((id) => !own.includes(id)))
      throw new Skip('busy', 'Runs of somebody else with this key are in the queue.')
    expect(exec_info).toEqual({ queue_remaining: own.length })
  },
  { deployment: 'hosted' },
)

proves('system/home', async (subject) => {
  // Elsewhere the exact values are a rule of each generation [http/cache-control, http/no-store].
  const uncached = subject.isOwn ? 'no-cache' : expect.stringMatching(/^no-/)
  const headers = { 'cache-control': uncached, pragma: uncached, expires: '0' }
  const type = { 'content-type': expect.stringMatching(/^text\/html/) }
  await exchanges(subject, [
    ['GET', '/', undefined, 200, /^<!doctype html>/i, { ...headers, ...type }],
  ])
})

proves('system/hosted-feedback', async (subject) => {
  const fine = [
    { type: 'general' },
    { type: 'missing_nodes', content: 'A node.', rating: 1, metadata: { any: 1 } },
    { type: 'missing_models', rating: 5 },
    '{"type": "general", "rating": 5.0}',
  ]
  const wrong = [
    {},
    [],
    '{',
    { type: 'praise' },
    { type: 'general', rating: 0 },
    { type: 'general', rating: 6 },
    { type: 'general', rating: 1.5 },
    { type: 'general', rating: 'five' },
    { type: 'general', content: 1 },
    { type: 'general', metadata: [] },
  ]
  await exchanges(subject, [
    ...withEach(fine, 'POST', '/feedback', 201, ''),
    ...withEach(wrong, 'POST', '/feedback', 400, ...refused('BAD_REQUEST')),
  ])
})
