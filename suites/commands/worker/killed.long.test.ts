// Worlds of the worker outlive its process.

import { textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { folder } from '../../support/folder.ts'
import { ask, onWorker, requireWorkerd } from './workerd.ts'

const prefixes = { local: '', hosted: '/api' }
const keys = { local: {}, hosted: { 'X-API-Key': 'test-key' } }

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
