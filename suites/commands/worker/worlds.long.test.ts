// Worlds of the worker: who creates and closes them, and that they outlive their process.

import { textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { folder } from '../../support/folder.ts'
import { ADMIN, ask, onWorker, requireWorkerd } from './workerd.ts'

const prefixes = { local: '', hosted: '/api' }
const keys = { local: {}, hosted: { 'X-API-Key': 'test-key' } }

proves('shared/worker-tokens', async ({ deployment }) => {
  requireWorkerd()
  await onWorker({ options: { deployment } }, async ({ url, create }) => {
    const place = `${url}/_flowdouble/worlds/one`
    const none = { status: 404, json: { error: expect.stringContaining('Create it with PUT') } }
    expect(await ask('GET', `${url}/w/one/_flowdouble/runs`, ADMIN)).toEqual(none)
    const refused = { status: 403, json: { error: expect.stringContaining('Bearer TOKEN') } }
    expect(await ask('PUT', place, 'another-token-of-somebody')).toEqual(refused)
    const wrong = { status: 400, json: { error: expect.stringContaining('bytes') } }
    expect(await ask('PUT', place, ADMIN, { bytes: 3 })).toEqual(wrong)
    const one = await create('one')
    expect(one).toEqual({ name: 'one', url: `${url}/w/one`, worldToken: expect.any(String) })
    const same = { status: 200, json: { name: 'one', url: one.url } }
    expect(await ask('PUT', place, ADMIN)).toEqual(same)
    const two = await create('two', { worldToken: 'chosen-by-its-owner' })
    expect(two.worldToken).toBe('chosen-by-its-owner')
    for (const token of [ADMIN, two.worldToken])
      expect(await ask('GET', `${one.url}/_flowdouble/runs`, token)).toEqual(refused)
    const listed = await ask('GET', `${one.url}/_flowdouble/runs`, one.worldToken)
    expect(listed).toEqual({ status: 200, json: [] })
    expect(await ask('DELETE', place, one.worldToken)).toEqual(refused)
    expect(await ask('DELETE', place, ADMIN)).toEqual({ status: 200, json: { closed: true } })
    expect(await ask('GET', `${one.url}/_flowdouble/runs`, one.worldToken)).toEqual(none)
  })
})

proves('shared/worker-killed', async ({ deployment }) => {
  requireWorkerd()
  const worlds = folder()
  const setting = { options: { deployment }, worlds }
  const [prompt_id, worldToken] = await onWorker(setting, async ({ create }) => {
    const { url, worldToken: token } = await create('one', { clock: 'manual' })
    const submitted = await fetch(`${url}${prefixes[deployment]}/prompt`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...keys[deployment] },
      body: JSON.stringify({ prompt: textToImage(1) }),
    })
    const { prompt_id: id } = (await submitted.json()) as { readonly prompt_id: string }
    await ask('POST', `${url}/_flowdouble/advance`, token, { ms: 30 })
    await ask('POST', `${url}/_flowdouble/snapshot`, token, { name: 'kept' })
    return [id, token] as const
  })
  await onWorker(setting, async ({ url }) => {
    const place = `${url}/w/one/_flowdouble`
    const { json: clock } = await ask('GET', `${place}/clock`, worldToken)
    expect(clock.nowMs).toBe(30)
    await ask('POST', `${place}/advance`, worldToken, { until: 'success' })
    const { json: runs } = await ask('GET', `${place}/runs`, worldToken)
    expect(runs).toMatchObject([{ prompt_id, state: 'success' }])
    const restored = await ask('POST', `${place}/restore`, worldToken, { name: 'kept' })
    expect(restored.status).toBe(200)
  })
})
