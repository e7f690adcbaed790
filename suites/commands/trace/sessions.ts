// Sessions that keep every law: of a local and of a hosted world, and of a gateway. Cases break one thing in them.

import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { startEmulator, startGateway } from 'flowdouble'
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
import { formOf, recordAt } from './record.ts'

/** A workflow that loads an uploaded file. */
const loading = (image: string): Graph => ({
  '1': node('LoadImage', { image }),
  '2': node('PreviewImage', { images: ['1', 0] }),
})

const viewPath = ({ filename, subfolder, type }: Readonly<Record<string, string>>): string =>
  `/view?${new URLSearchParams({ filename, subfolder, type } as Record<string, string>).toString()}`

/** A workflow without a valid output. */
const invalid = { '1': node('SaveImage', { filename_prefix: 'x' }) }

const picture = readFileSync(new URL('../../../recordings/run.png', import.meta.url))

/** A session of two clients on a local world. */
async function localSession(): Promise<Recording> {
  const world = await startEmulator({ clock: 'manual', seed: 7 })
  try {
    const client = recordAt(world.url, 'local')
    const rest = async (): Promise<void> => {
      await world.until('idle')
      await client.settle()
    }
    await client.connect('/ws?clientId=a', {
      type: 'feature_flags',
      data: { supports_preview_metadata: true },
    })
    await client.connect('/ws?clientId=b')
    const submit = async (prompt: Graph, more: object = { client_id: 'a' }): Promise<string> =>
      (await client.send('POST', '/prompt', { prompt, ...more })).json.prompt_id as string
    const play = async (prompt: Graph, more?: object): Promise<string> => {
      const id = await submit(prompt, more)
      await rest()
      return id
    }
    await client.send('GET', '/view?filename=example.png&type=input')
    const painted = await play(textToImage())
    const entry = (await client.send('GET', `/history/${painted}`)).json[painted]
    await client.send('GET', viewPath(entry.outputs['9'].images[0]))
    await play(textToImage())
    const failed = await play(failing())
    await play(saying(), { client_id: 'b', prompt_id: 'own-id', extra_data: { note: 1 } })
    await client.send('GET', `/history/${failed}`)
    await play(textToImage(2), { client_id: 'b' })
    await play(saying('nobody'), {})
    const waiting = await submit(slow())
    await submit(solid(1))
    const gone = await submit(solid(2))
    await client.send('GET', '/queue')
    await client.send('POST', '/queue', { delete: [gone] })
    await client.send('GET', '/queue')
    await world.advance(3000)
    await client.send('POST', '/interrupt', { prompt_id: waiting })
    await rest()
    await client.send('GET', `/history/${waiting}`)
    const upload = formOf('mine.png', picture)
    const { json } = await client.send('POST', '/upload/image', upload.body, upload.headers)
    await play(loading(json.name as string))
    await submit(invalid)
    await play({ ...saying('half'), '2': invalid['1'] })
    await client.send('GET', '/history?max_items=20')
    await client.connect('/ws?clientId=b')
    await play(saying('again'), { client_id: 'b' })
    await play(saying('last'))
    await client.send('GET', '/system_stats')
    await client.send('GET', '/nowhere')
    return await client.end()
  } finally {
    await world.close()
  }
}

/** A session of one account with two sockets on a hosted world. */
async function hostedSession(): Promise<Recording> {
  const world = await startEmulator({ deployment: 'hosted', clock: 'manual', seed: 7 })
  try {
    const client = recordAt(world.url, 'hosted')
    const rest = async (): Promise<void> => {
      await world.until('idle')
      await client.settle()
    }
    const key = { 'X-API-Key': 'test-key' }
    const send = (method: string, path: string, body?: unknown) =>
      client.send(method, `/api${path}`, body, key)
    await client.connect('/ws?clientId=a&token=test-key', {
      type: 'feature_flags',
      data: { supports_preview_metadata: true },
    })
    await client.connect('/ws?clientId=b&token=test-key')
    const play = async (prompt: Graph): Promise<string> => {
      const { json } = await send('POST', '/prompt', { prompt, extra_data: { note: 1 } })
      await send('GET', `/job/${json.prompt_id}/status`)
      await rest()
      await send('GET', `/job/${json.prompt_id}/status`)
      await send('GET', `/job/${json.prompt_id}/status`)
      await send('GET', `/jobs/${json.prompt_id}`)
      await send('GET', `/history_v2/${json.prompt_id}`)
      return json.prompt_id as string
    }
    const painted = await play(textToImage())
    const { json } = await send('GET', `/jobs/${painted}`)
    const { headers } = await send('GET', viewPath(json.outputs['9'].images[0]))
    await client.send('GET', headers.get('location') ?? '')
    await play(failing())
    const upload = formOf('mine.png', picture)
    const { json: stored } = await client.send('POST', '/api/upload/image', upload.body, {
      ...upload.headers,
      ...key,
    })
    await play(loading(stored.name as string))
    await send('POST', '/prompt', { prompt: invalid })
    await send('POST', '/prompt', { prompt: { ...saying('half'), '2': invalid['1'] } })
    await rest()
    const { json: waiting } = await send('POST', '/prompt', { prompt: slow() })
    const { json: gone } = await send('POST', '/prompt', { prompt: solid(2) })
    await world.advance(3000)
    await send('GET', '/queue')
    await send('POST', '/queue', { delete: [gone.prompt_id] })
    await send('GET', '/queue')
    await send('POST', `/jobs/${waiting.prompt_id}/cancel`)
    await rest()
    await send('GET', `/jobs/${waiting.prompt_id}`)
    await play(saying('last'))
    await send('GET', '/jobs/00000000-0000-4000-8000-000000000000')
    return await client.end()
  } finally {
    await world.close()
  }
}

const SECRET = 'a-secret-of-the-suites'

/** Posts to a gateway: one that is accepted, again, and without a signature. */
async function gatewaySession(): Promise<Recording> {
  const gateway = await startGateway({
    clock: 'manual',
    routes: { builds: { secret: SECRET, prompt: 'x' } },
  })
  try {
    const client = recordAt(gateway.url, 'gateway')
    const post = (body: string, id: string, isSigned = true) =>
      client.send('POST', '/webhooks/builds', body, {
        'X-GitHub-Delivery': id,
        ...(isSigned && {
          'X-Hub-Signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
        }),
      })
    await client.send('GET', '/health')
    await post('{"a":1}', 'one')
    await post('{"a":1}', 'one')
    await post('{"a":1}', 'two', false)
    return await client.end()
  } finally {
    await gateway.close()
  }
}

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
