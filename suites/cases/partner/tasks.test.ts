// The proxy to partners: tasks, their states and results, and the partners that answer without one.

import { partnerNodeCost } from '../../../spec/server/access.ts'
import { type Partner, partners } from '../../../spec/partner/partners.ts'
import { taskTimes } from '../../../spec/partner/partner.ts'
import { expect } from '../../judge/expect.ts'
import { fetchLink } from '../../judge/http-client.ts'
import { expectPartnerRefusal, partnerOf } from '../../judge/hosted/partner.ts'
import { account, nobody } from '../../judge/hosted/jobs.ts'
import { ownWorld, proves, twoAccounts } from '../../judge/proves.ts'
import type { Reply } from '../../judge/reply.ts'
import type { Subject } from '../../judge/subject.ts'

/** The member at a place such as `data.images.0.url`. */
const memberAt = (body: any, place = ''): any =>
  place.split('.').reduce((value, name) => value?.[name], body)

const begin = async (subject: Subject, path: string): Promise<any> => {
  const send = await partnerOf(subject)
  const reply = await send('POST', path, { prompt: 'a lighthouse' })
  expect(reply.status).toBe(200)
  return reply.json()
}

/** The first bytes of each kind of file. */
const begins = {
  png: /^\x89PNG/,
  svg: /^<(?:\?xml|svg)/,
  mp4: /^.{4}ftyp/s,
  mp3: /^(?:ID3|\xff)/,
} as const satisfies Readonly<Record<Partner['makes'], RegExp>>

const isFile = ({ makes }: Partner, bytes: Uint8Array): void =>
  expect(Buffer.from(bytes).toString('latin1')).toMatch(begins[makes])

/** How clients poll: the path that belongs to each, with the id. */
const polls: readonly (readonly [create: string, poll: (id: string) => string, idAt: string])[] = [
  ['/proxy/bfl/flux-2-pro/generate', (id) => `/proxy/bfl/get_result?id=${id}`, 'id'],
  [
    '/proxy/kling/v1/videos/text2video',
    (id) => `/proxy/kling/v1/videos/text2video/${id}`,
    'data.task_id',
  ],
  [
    '/proxy/kling/v1/images/generations',
    (id) => `/proxy/kling/v1/images/generations/${id}`,
    'data.task_id',
  ],
  ['/proxy/luma/generations', (id) => `/proxy/luma/generations/${id}`, 'id'],
  ['/proxy/luma/generations/image', (id) => `/proxy/luma/generations/${id}`, 'id'],
  [
    '/proxy/minimax/video_generation',
    (id) => `/proxy/minimax/query/video_generation?task_id=${id}`,
    'task_id',
  ],
  ['/proxy/runway/image_to_video', (id) => `/proxy/runway/tasks/${id}`, 'id'],
  ['/proxy/runway/text_to_image', (id) => `/proxy/runway/tasks/${id}`, 'id'],
  ['/proxy/moonvalley/prompts/text-to-video', (id) => `/proxy/moonvalley/prompts/${id}`, 'id'],
  ['/proxy/pika/generate/2.2/t2v', (id) => `/proxy/pika/videos/${id}`, 'video_id'],
  ['/proxy/vidu/text2video', (id) => `/proxy/vidu/tasks/${id}/creations`, 'task_id'],
  ['/proxy/xai/v1/videos/generations', (id) => `/proxy/xai/v1/videos/${id}`, 'request_id'],
  [
    '/proxy/byteplus/api/v3/contents/generations/tasks',
    (id) => `/proxy/byteplus/api/v3/contents/generations/tasks/${id}`,
    'id',
  ],
  ['/proxy/somebody/v9/make', (id) => `/proxy/somebody/v9/tasks/${id}`, 'id'],
]

const partnerFor = (path: string): Partner =>
  partners.find(({ at }) => path.startsWith(`${at}/`) || path === at) as Partner

proves(
  ['partner/task', 'partner/poll', 'partner/time', 'partner/result', 'partner/any'],
  async (subject) => {
    const send = await partnerOf(subject)
    for (const [create, poll, idAt] of polls) {
      const partner = partnerFor(create)
      const [waiting, running, done] = partner.words ?? []
      const made = await begin(subject, create)
      expect([create, memberAt(made, partner.status)]).toEqual([create, waiting])
      const id = memberAt(made, idAt)
      const read = async (): Promise<any> => (await send('GET', poll(id))).json()
      await subject.emulator?.advance(taskTimes.waitsMs)
      expect([create, memberAt(await read(), partner.status)]).toEqual([create, running])
      await subject.emulator?.advance(taskTimes.ms - taskTimes.waitsMs - 1)
      const before = await read()
      expect([create, memberAt(before, partner.status)]).toEqual([create, running])
      await subject.emulator?.advance(1)
      const after = await read()
      expect([create, memberAt(after, partner.status)]).toEqual([create, done])
      for (const place of partner.link ?? []) {
        expect(memberAt(before, place)).toBeUndefined()
        isFile(partner, (await fetchLink(memberAt(after, place))).bytes)
      }
    }
  },
  ownWorld,
)

proves(
  'partner/poll',
  async (subject) => {
    const { id, polling_url } = await begin(subject, '/proxy/bfl/flux-2-pro/generate')
    expect(polling_url).toBe(`${subject.url}/proxy/bfl/get_result?id=${id}`)
    expect((await begin(subject, '/proxy/bfl/flux-2-pro/generate')).id).not.toBe(id)
  },
  ownWorld,
)

proves(
  'partner/json',
  async (subject) => {
    const send = await partnerOf(subject)
    const ask = async (path: string): Promise<Reply> => send('POST', path, { prompt: 'a' })
    for (const path of [
      '/proxy/openai/images/generations',
      '/proxy/recraft/images/vectorize',
      '/proxy/ideogram/ideogram-v3/generate',
      '/proxy/xai/v1/images/generations',
    ]) {
      const { url } = (await ask(path)).json().data[0]
      isFile(partnerFor(path), (await fetchLink(url)).bytes)
    }
    const gemini = (await ask('/proxy/vertexai/gemini/nano-banana')).json()
    const { mimeType, data } = gemini.candidates[0].content.parts[0].inlineData
    expect(mimeType).toBe('image/png')
    isFile(partnerFor('/proxy/vertexai/gemini/x'), Buffer.from(data, 'base64'))
    const { image } = (await ask('/proxy/reve/v1/image/create')).json()
    isFile(partnerFor('/proxy/reve/v1'), Buffer.from(image, 'base64'))
  },
  ownWorld,
)

proves(
  'partner/bytes',
  async (subject) => {
    const send = await partnerOf(subject)
    for (const [path, type] of [
      ['/proxy/elevenlabs/v1/text-to-speech/anna', 'audio/mpeg'],
      ['/proxy/fishaudio/v1/tts', 'audio/mpeg'],
      ['/proxy/ltx/v1/text-to-video', 'video/mp4'],
    ] as const) {
      const { headers, bytes } = await send('POST', path, { text: 'hello' })
      expect(headers['content-type']).toBe(type)
      isFile(partnerFor(path), bytes)
    }
  },
  ownWorld,
)

proves(
  ['partner/price', 'partner/funds', 'partner/events', 'partner/balance'],
  async (subject) => {
    const send = await partnerOf(subject)
    const micros = async (): Promise<number> =>
      (await send('GET', '/customers/balance')).json().amount_micros
    const before = await micros()
    const paths = Array.from({ length: 12 }, (_, at) => `/proxy/runway/video_${at}`)
    for (const path of paths) await begin(subject, path)
    const spent = (before - (await micros())) / paths.length
    expect(spent * 211).toBeCloseTo(partnerNodeCost * 1_000_000, -3)
    const list = async (query = ''): Promise<any> =>
      (await send('GET', `/customers/events${query}`)).json()
    const first = await list()
    expect(first).toMatchObject({ total: 12, page: 1, limit: 10, totalPages: 2 })
    const second = await list('?page=2')
    const listed = [...first.events, ...second.events].map((one) => one.params.endpoint)
    expect(listed).toEqual(paths.toReversed())
    expect((await list('?filter=credit_added')).events).toEqual([])
    for (const query of ['?page=0', '?limit=101', '?limit=x'])
      expectPartnerRefusal(await send('GET', `/customers/events${query}`), 400, 'BAD_REQUEST')
    const poor = await partnerOf(subject.as('poor-key'))
    const refused = await poor('POST', '/proxy/bfl/flux-2-pro/generate', {})
    expectPartnerRefusal(refused, 402, 'INSUFFICIENT_FUNDS')
    expect((await poor('GET', '/customers/events')).json().total).toBe(0)
  },
  { ...ownWorld, accounts: [account('test-key'), { ...account('poor-key'), balance: 0 }] },
)

proves(
  'partner/cancel',
  async (subject) => {
    const send = await partnerOf(subject)
    const { id } = await begin(subject, '/proxy/runway/image_to_video')
    const path = `/proxy/runway/tasks/${id}`
    expect((await send('DELETE', path)).status).toBe(204)
    await subject.idle()
    expect((await send('GET', path)).json()).toMatchObject({ status: 'CANCELLED' })
    const over = await begin(subject, '/proxy/runway/image_to_video')
    await subject.idle()
    expect((await send('DELETE', `/proxy/runway/tasks/${over.id}`)).status).toBe(204)
    const after = await send('GET', `/proxy/runway/tasks/${over.id}`)
    expect(after.json()).toMatchObject({ status: 'SUCCEEDED' })
  },
  ownWorld,
)

proves(
  'partner/unknown',
  async (subject) => {
    const send = await partnerOf(subject)
    const { id } = await begin(subject, '/proxy/luma/generations')
    const other = await partnerOf(subject.as('other-key'))
    for (const method of ['GET', 'DELETE']) {
      for (const path of [`/proxy/luma/generations/${nobody}`, '/proxy/luma'])
        expectPartnerRefusal(await send(method, path), 404, 'NOT_FOUND')
      expectPartnerRefusal(await other(method, `/proxy/luma/generations/${id}`), 404, 'NOT_FOUND')
    }
  },
  { ...ownWorld, ...twoAccounts },
)
