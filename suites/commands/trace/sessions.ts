// Sessions that keep every law: of a local and of a hosted world, and of a gateway. Cases break one thing in them.

import { readFileSync } from 'node:fs'
import { startGateway } from 'flowdouble'
import type { Recording } from '../../../dist/emulator/internal.js'
import type { Place } from '../../../spec/language.ts'
import {
  failing,
  type Graph,
  node,
  saying,
  slow,
  solid,
  textToImage,
} from '../../generate/graphs.ts'
import { viewPath } from '../../generate/form.ts'
import { SECRET, signed } from '../../judge/gateway-subject.ts'
import {
  flags,
  form,
  json,
  recordedWorld,
  rest,
  withClient,
} from '../../support/recordings/recorded-session.ts'

/** A workflow that loads an uploaded file. */
const loading = (image: string): Graph => ({
  '1': node('LoadImage', { image }),
  '2': node('PreviewImage', { images: ['1', 0] }),
})

/** A workflow without a valid output. */
const invalid = { '1': node('SaveImage', { filename_prefix: 'x' }) }

const picture = readFileSync(new URL('../../../recordings/run.png', import.meta.url))

/** A session of two clients on a local world. */
const localSession = (): Promise<Recording> =>
  recordedWorld({ seed: 7 }, async (client, world) => {
    const get = async (path: string): Promise<any> => (await client.request('GET', path)).json
    await client.open('a')
    await client.send(0, flags)
    await client.open('b')
    const submit = async (prompt: Graph, more: object = { client_id: 'a' }): Promise<string> =>
      (await client.request('POST', '/prompt', json({ prompt, ...more }))).json.prompt_id as string
    const play = async (prompt: Graph, more?: object): Promise<string> => {
      const id = await submit(prompt, more)
      await rest(client, world)
      return id
    }
    await get('/view?filename=example.png&type=input')
    const painted = await play(textToImage())
    const entry = (await get(`/history/${painted}`))[painted]
    await get(viewPath(entry.outputs['9'].images[0]))
    await play(textToImage())
    const failed = await play(failing())
    await play(saying(), { client_id: 'b', prompt_id: 'own-id', extra_data: { note: 1 } })
    await get(`/history/${failed}`)
    await play(textToImage(2), { client_id: 'b' })
    await play(saying('nobody'), {})
    const waiting = await submit(slow())
    await submit(solid(1))
    const gone = await submit(solid(2))
    await get('/queue')
    await client.request('POST', '/queue', json({ delete: [gone] }))
    await get('/queue')
    await world.advance(3000)
    await client.request('POST', '/interrupt', json({ prompt_id: waiting }))
    await rest(client, world)
    await get(`/history/${waiting}`)
    const uploaded = await client.request('POST', '/upload/image', form('mine.png', picture))
    await play(loading(uploaded.json.name as string))
    await submit(invalid)
    await play({ ...saying('half'), '2': invalid['1'] })
    await get('/history?max_items=20')
    await client.open('b')
    await play(saying('again'), { client_id: 'b' })
    await play(saying('last'))
    await get('/system_stats')
    await get('/nowhere')
  })

/** A session of one account with two sockets on a hosted world. */
const hostedSession = (): Promise<Recording> =>
  recordedWorld({ deployment: 'hosted', seed: 7 }, async (client, world) => {
    const key = { 'X-API-Key': 'test-key' }
    const get = async (path: string): Promise<any> =>
      (await client.request('GET', `/api${path}`, undefined, key)).json
    const post = async (path: string, body = json({})): Promise<any> =>
      (await client.request('POST', `/api${path}`, body, key)).json
    await client.open('a&token=test-key')
    await client.send(0, flags)
    await client.open('b&token=test-key')
    const play = async (prompt: Graph): Promise<string> => {
      const { prompt_id } = await post('/prompt', json({ prompt, extra_data: { note: 1 } }))
      await get(`/job/${prompt_id}/status`)
      await rest(client, world)
      await get(`/job/${prompt_id}/status`)
      await get(`/job/${prompt_id}/status`)
      await get(`/jobs/${prompt_id}`)
      await get(`/history_v2/${prompt_id}`)
      return prompt_id as string
    }
    const { outputs } = await get(`/jobs/${await play(textToImage())}`)
    const path = `/api${viewPath(outputs['9'].images[0])}`
    const { location } = await client.request('GET', path, undefined, key)
    await client.request('GET', location)
    await play(failing())
    const { name } = await post('/upload/image', form('mine.png', picture))
    await play(loading(name as string))
    await post('/prompt', json({ prompt: invalid }))
    await post('/prompt', json({ prompt: { ...saying('half'), '2': invalid['1'] } }))
    await rest(client, world)
    const waiting = (await post('/prompt', json({ prompt: slow() }))).prompt_id as string
    const gone = (await post('/prompt', json({ prompt: solid(2) }))).prompt_id as string
    await world.advance(3000)
    await get('/queue')
    await post('/queue', json({ delete: [gone] }))
    await get('/queue')
    await post(`/jobs/${waiting}/cancel`)
    await rest(client, world)
    await get(`/jobs/${waiting}`)
    await play(saying('last'))
    await get('/jobs/00000000-0000-4000-8000-000000000000')
  })

/** Posts to a gateway: one that is accepted, again, and without a signature. */
const gatewaySession = (): Promise<Recording> =>
  withClient(
    () => startGateway({ clock: 'manual', routes: { builds: { secret: SECRET, prompt: 'x' } } }),
    async (client) => {
      const post = (id: string, headers: Readonly<Record<string, string>> = signed('{"a":1}')) =>
        client.request('POST', '/webhooks/builds', json({ a: 1 }), {
          'X-GitHub-Delivery': id,
          ...headers,
        })
      await client.request('GET', '/health')
      await post('one')
      await post('one')
      await post('two', {})
      return client.recording()
    },
    'gateway',
  )

const sessions: Readonly<Record<Place, () => Promise<Recording>>> = {
  local: localSession,
  hosted: hostedSession,
  gateway: gatewaySession,
}
const recorded = new Map<Place, Promise<Recording>>()

/** The session of a place. It is recorded once. */
export function goodSession(place: Place): Promise<Recording> {
  const known = recorded.get(place) ?? sessions[place]()
  recorded.set(place, known)
  return known
}
