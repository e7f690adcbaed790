// The session of a world as a recording: what its clients saw, without secrets.

import { readFileSync } from 'node:fs'
import { readRecording, type Recording } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { textToImage } from '../../support/spawned.ts'
import { expectSame } from '../../support/same.ts'

const decoder = new TextDecoder()
const textOf = (bytes: Uint8Array | undefined): string => decoder.decode(bytes)

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const pathsOf = ({ exchanges }: Recording): readonly string[] =>
  exchanges.map(({ method, url }) => `${method} ${new URL(url).pathname}`)

const prompt = JSON.parse(readFileSync(textToImage, 'utf8')) as object

for (const deployment of ['local', 'hosted'] as const) {
  proves(
    'control/recording',
    async ({ raw, emulator, connect }) => {
      const server = emulator!
      const base = deployment === 'hosted' ? '/api' : ''
      const headers = { 'X-API-Key': 'test-key' }
      const socket = await connect()
      const extra_data = { api_key_comfy_org: 'partner-key-1' }
      const body = JSON.stringify({ prompt, extra_data })
      const submitted = await raw('POST', `${base}/prompt`, body, headers)
      await server.until('success')
      await socket.settled()
      const history = await raw('GET', `${base}/queue`, undefined, headers)
      const text = await server.recording()
      const recording = readRecording(text, 'recording')
      expect(recording.info).toMatchObject({
        version: 1,
        origin: 'a world of flowdouble',
        place: deployment,
        seed: server.options.seed,
      })
      expect(pathsOf(recording).slice(-2)).toEqual([`POST ${base}/prompt`, `GET ${base}/queue`])
      const [post, queue] = recording.exchanges.slice(-2)
      expect(JSON.parse(textOf(post?.body)).prompt).toEqual(prompt)
      expect(textOf(post?.response?.body)).toBe(submitted.text)
      expect(textOf(queue?.response?.body)).toBe(history.text)
      const said = recording.sockets[0]!.messages.map(({ data }) => data)
      expect(said.filter((data) => typeof data === 'string')).toEqual(socket.texts)
      const frames = said.filter((data) => typeof data !== 'string')
      expect(frames.length).toBeGreaterThan(0)
      expect(frames.map(hex)).toEqual(socket.rawFrames.map(hex))
      for (const secret of ['partner-key-1', 'test-key']) expect(text).not.toContain(secret)
      const over = await raw('GET', '/_flowdouble/recording')
      expectSame('The recording', readRecording(over.text, 'recording'), recording)
      await server.reset()
      expect(readRecording(await server.recording(), 'recording').exchanges).toEqual([])
    },
    { ...ownWorld, deployment, preview: 'jpeg' },
  )
}

proves('control/gateway-recording', async ({ post, send, gateway }) => {
  const reply = await post('hook', { a: 'text of the event' })
  const text = await gateway.recording()
  const { info, exchanges } = readRecording(text, 'recording')
  expect(info?.place).toBe('gateway')
  const [exchange] = exchanges
  expect([exchange?.method, exchange?.response?.status]).toEqual(['POST', reply.status])
  expect(textOf(exchange?.body)).toContain('text of the event')
  expect(textOf(exchange?.response?.body)).toBe(reply.body)
  const signatures = exchange!.headers.filter(([name]) => /signature|token/i.test(name))
  expect(signatures.length).toBeGreaterThan(0)
  for (const [, value] of signatures) expect(value).toMatch(/^<secret:[0-9a-f]+>$/)
  const over = await send('GET', '/_flowdouble/recording')
  expectSame('The recording', readRecording(over.body, 'recording').exchanges, exchanges)
})
