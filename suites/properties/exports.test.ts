// No secret that passes is in what `record` writes or in what a world exports, wherever it was planted.

import { once } from 'node:events'
import * as fc from 'fast-check'
import { startEmulator } from 'flowdouble'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { readRecording, scanRecording } from '../../dist/emulator/internal.js'
import { node } from '../generate/graphs.ts'
import { secrets } from '../generate/recordings.ts'
import { runs } from '../support/effort.ts'
import { startRecord } from '../support/recordings/recording.ts'
import { spellings, textsOf } from '../support/secret-spellings.ts'

type Sent = { readonly path: string; readonly init?: RequestInit }

const post = (path: string, value: unknown, headers: Record<string, string> = {}): Sent => ({
  path,
  init: {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof value === 'string' ? value : JSON.stringify(value),
  },
})
const headed = (name: string, value: string): Sent => ({
  path: '/queue',
  init: { headers: { [name]: value } },
})
const written = encodeURIComponent

/** The requests that reveal a secret. */
const revealing: Readonly<Record<string, (secret: string) => Sent>> = {
  bearer: (one) => headed('Authorization', `Bearer ${written(one)}`),
  apiKey: (one) => headed('X-API-Key', written(one)),
  cookie: (one) => headed('Cookie', `a=b; session=${written(one)}`),
  query: (one) => ({ path: `/queue?token=${written(one)}` }),
  signature: (one) => ({ path: `/view?filename=x.png&X-Goog-Signature=${written(one)}` }),
  partnerKey: (one) => post('/prompt', { prompt: {}, extra_data: { api_key_comfy_org: one } }),
  otherPartnerKey: (one) =>
    post('/prompt', { prompt: {}, extra_data: { api_key_partner_org: one } }),
  userdata: (one) => post('/userdata/notes.json', { accessToken: one }),
  setting: (one) => post('/settings', { 'my.api_key': one }),
  form: (one) =>
    post('/interrupt', `a=b&client_secret=${written(one)}`, {
      'Content-Type': 'application/x-www-form-urlencoded',
    }),
}

/** Requests in which it then occurs, also in the answers. */
const elsewhere: readonly ((secret: string) => Sent)[] = [
  (one) => ({ path: `/queue?note=${written(one)}` }),
  (one) => post(`/userdata/${written(one.replaceAll('/', '-'))}.txt`, `It is ${one}!`),
  () => ({ path: '/userdata/notes.json' }),
  () => ({ path: '/settings' }),
  (one) => ({ path: `/no/such/${written(one)}` }),
  (one) => post('/prompt', `not JSON ${one}`),
]

/** A run whose text goes out in a frame, in a message and in the history. */
const talking = (text: string) => ({ 1: node('FlowdoubleText', { text }) })

async function session(url: string, secret: string, places: readonly string[]): Promise<void> {
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/ws?clientId=c&token=${written(secret)}`,
  )
  const texts: string[] = []
  socket.on('message', (data: Buffer) => texts.push(data.toString()))
  await once(socket, 'message')
  socket.send(JSON.stringify({ type: 'feature_flags', data: { password: secret } }))
  const send = async ({ path, init = {} }: Sent): Promise<string> =>
    (await fetch(url + path, { redirect: 'manual', ...init })).text()
  for (const place of places) await send(revealing[place]!(secret))
  for (const make of elsewhere) await send(make(secret))
  const submit = post('/prompt', { prompt: talking(`of ${secret}`), client_id: 'c' })
  await send(submit)
  while (!texts.some((one) => one.includes('execution_success'))) await once(socket, 'message')
  // The secret has passed: it is in a frame.
  expect(texts.some((one) => one.includes(secret))).toBe(true)
  await send({ path: '/history' })
  socket.close()
  await once(socket, 'close')
}

test('exports/secrets A secret that a session contains anywhere is in neither of its recordings, in any spelling.', async () => {
  const places = fc.subarray(Object.keys(revealing), { minLength: 1 })
  const property = fc.asyncProperty(secrets, places, async (secret, chosen) => {
    const world = await startEmulator({ clock: 'instant' })
    const proxy = await startRecord(world.url)
    const failed = await session(proxy.url, secret, chosen).then(
      () => null,
      (error: unknown) => error,
    )
    const { code, stderr, text } = await proxy.stop()
    expect({ failed, code, stderr }).toEqual({ failed: null, code: 0, stderr: '' })
    const control = await (await fetch(`${world.url}/_flowdouble/recording`)).text()
    const own = await world.recording()
    await world.close()
    for (const har of [text(), control, own]) {
      const recording = readRecording(har, 'a.har')
      expect(recording.exchanges.length).toBeGreaterThan(chosen.length)
      expect(recording.sockets[0]?.messages.length).toBeGreaterThan(3)
      const all = textsOf(recording)
      for (const spelled of spellings(secret)) {
        expect(all).not.toContain(spelled)
        expect(har).not.toContain(spelled)
      }
      expect(scanRecording(recording)).toEqual([])
    }
  })
  await fc.assert(property, { seed: 20260103, numRuns: runs(60) })
})
