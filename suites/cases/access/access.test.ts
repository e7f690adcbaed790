// Access to a local server, which is open to everyone, and the key that partner nodes require.

import { secretKeys } from '../../../spec/server/access.ts'
import { type Graph, node, talking } from '../../generate/graphs.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import { exchange } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

/** A picture from a partner, saved. */
const bought: Graph = {
  '1': node('OpenAIDalle3', { prompt: 'a lighthouse' }),
  '2': node('SaveImage', { images: ['1', 0], filename_prefix: 'bought' }),
}

/** Shows the picture instead of saving it. */
const preview = node('PreviewImage', { images: ['1', 0] })
const failed = { status: 'error' }

/** A world of the suites accepts any text. */
const partnerKey = 'test-partner-key'

proves('access/local-without-key', async ({ url, connect, submit, reach, unique }) => {
  const credentials: Record<string, string>[] = [
    {},
    { Authorization: 'Bearer nonsense' },
    { Authorization: 'Basic bWU6bWU=' },
    { 'X-API-Key': 'nonsense' },
    { Cookie: 'token=nonsense' },
  ]
  for (const headers of credentials) {
    for (const path of ['/queue', '/system_stats', '/prompt?token=nonsense']) {
      expect((await exchange(url, 'GET', path, headers)).status).toBe(200)
    }
    const body = JSON.stringify({ prompt: talking() })
    expect((await exchange(url, 'POST', '/prompt', headers, body)).status).toBe(200)
  }
  const client_id = unique('me')
  const query = `token=nonsense&clientId=${encodeURIComponent(client_id)}`
  const session = await connect(undefined, `/ws?${query}`)
  await submit(talking(), { client_id })
  await reach(session, ({ type }) => type === 'execution_success')
})

proves('access/partner-key-names', async ({ connect, run, unique, isOwn }) => {
  const session = await connect(unique('me'))
  const outcome = async (extra_data: object, prompt = unique('a lighthouse')) => {
    const graph = { ...bought, '1': node('OpenAIDalle3', { prompt }), '2': preview }
    const { entry, messages } = await run(session, graph, { extra_data })
    return { status: entry.status.status_str, nodes: messages.map(({ data }) => data['node']) }
  }
  // Failures first: once bought, a picture is in the cache.
  expect(await outcome({ api_key: 'k', API_KEY_PARTNER_ORG: 'k' })).toMatchObject(failed)
  expect(await outcome({ api_key_partner_org: '', api_key_comfy_org: '' })).toMatchObject(failed)
  const outcomes = [
    await outcome({ api_key_partner_org: partnerKey }),
    await outcome({ api_key_comfy_org: partnerKey }, unique('another lighthouse')),
  ]
  const accepted = { status: 'success', nodes: expect.arrayContaining(['1']) }
  // A server elsewhere may know the key by one of the names.
  expect(isOwn ? outcomes : outcomes.filter(({ status }) => status === 'success')).toEqual(
    isOwn ? [accepted, accepted] : expect.arrayContaining([accepted]),
  )
})

proves(
  'access/partner-token',
  async ({ connect, run, unique }) => {
    const session = await connect(unique('me'))
    const outcome = async (auth_token_comfy_org: unknown) =>
      (await run(session, bought, { extra_data: { auth_token_comfy_org } })).entry.status.status_str
    expect(await outcome('')).toBe('error')
    expect(await outcome(null)).toBe('error')
    expect(await outcome(partnerKey)).toBe('success')
  },
  ownWorld,
)

proves(
  'access/partner-key-missing',
  async ({ connect, run, unique }) => {
    const session = await connect(unique('me'))
    const graph = {
      ...bought,
      '3': node('ImageInvert', { image: ['1', 0] }),
      '2': node('SaveImage', { images: ['3', 0], filename_prefix: 'x' }),
    }
    const { entry, messages, prompt_id } = await run(session, graph)
    const error = messages.find(({ type }) => type === 'execution_error')
    expect(error?.data).toMatchObject({
      prompt_id,
      node_id: '1',
      node_type: 'OpenAIDalle3',
    })
    expect(error?.data['exception_message']).toMatch(/login/i)
    expect(entry.status).toMatchObject({ status_str: 'error', completed: false })
    expect(entry.outputs).toEqual({})
  },
  ownWorld,
)

const secrets = {
  ...Object.fromEntries(secretKeys.map((name) => [name, `secret of ${name}`])),
  // Where only one key is valid, it buys the picture.
  api_key_comfy_org: partnerKey,
}
const secret = /secret|test-partner-key/
const extra_data = { ...secrets, extra_pnginfo: { workflow: { mine: 'shown' } } }

proves(
  'access/partner-key-hidden',
  async (subject) => {
    const { get, queue, finished, view, connect, submit, reach, idle, unique } = subject
    const session = await connect(unique('me'))
    const { prompt_id } = (await submit(bought, { extra_data, client_id: 'me' })).json()
    const [waiting] = (await queue()).pending
    const pending = await get('/queue')
    await reach(session, ({ type }) => type === 'execution_start')
    const running = await get('/queue')
    await idle()
    const [all, one] = [await get('/history'), await get(`/history/${prompt_id}`)]
    const over = await finished(prompt_id)
    const file = await view(over?.outputs['2'].images[0])
    for (const { status, text } of [pending, running, all, one, file]) {
      expect(status).toBe(200)
      expect(text).not.toMatch(secret)
      for (const name of secretKeys) expect(text).not.toContain(name)
    }
    for (const listed of [waiting, over]) {
      expect(listed?.extra_data.extra_pnginfo).toEqual(extra_data.extra_pnginfo)
      expect(JSON.stringify(listed)).not.toMatch(secret)
    }
    for (const { text } of [all, one, file]) expect(text).toContain('shown')
    expect(session.texts.join()).not.toMatch(secret)
  },
  ownWorld,
)

provesQuirk(
  'local.queue-shows-partner-key',
  async ({ get, connect, submit, reach, idle, unique }) => {
    const session = await connect(unique('me'))
    await submit(bought, { extra_data, client_id: 'me' })
    const listed = { ...extra_data, client_id: 'me' }
    expect((await get('/queue')).json().queue_pending[0][3]).toEqual(listed)
    await reach(session, ({ type }) => type === 'execution_start')
    expect((await get('/queue')).json().queue_running[0][3]).toEqual(listed)
    await idle()
    expect((await get('/history')).text).not.toMatch(secret)
  },
)
