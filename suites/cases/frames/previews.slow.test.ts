// Previews on any local server: others may run at the same time.

import { decode as decodePng } from 'fast-png'
import jpeg from 'jpeg-js'
import { isMessage, type Session } from '../../judge/client.ts'
import type { DecodedFrame } from '../../../dist/emulator/session/index.js'
import { expect } from '../../judge/expect.ts'
import { askForMetadata, hex, JPEG_MAGIC, PNG_MAGIC } from '../../judge/frames.ts'
import { proves } from '../../judge/proves.ts'
import { missing } from '../../judge/skip.ts'
import type { Subject } from '../../judge/subject.ts'

const local = { deployment: 'local', preview: 'jpeg' } as const
const STEPS = 4

/** What a session receives of a run that samples: its frames as bytes and decoded, and all of it in order. */
async function sampled(subject: Subject, session: Session, asksForMetadata = false) {
  if (asksForMetadata) await askForMetadata(session)
  const before = session.received.length
  const { prompt_id } = await subject.run(session, await subject.workloads.sampling(STEPS))
  await session.settled()
  const received = session.received.slice(before)
  const own = (frame: DecodedFrame): boolean => 'image' in frame.fields
  const frames = received.filter((one): one is DecodedFrame => !isMessage(one)).filter(own)
  return { prompt_id, received, frames }
}

/** Ends a case about previews on a server that is set to send none. */
function needsSome(frames: readonly DecodedFrame[]): void {
  if (frames.length === 0) throw missing('The server sends no previews.')
}

/** The pixels of an image, whose bytes must be of the format that its number names. */
function pixelsOf(image: Uint8Array, number: unknown): ArrayLike<number> {
  const begin = hex(image.subarray(0, 8))
  if (number === 2) {
    expect(begin).toBe(PNG_MAGIC)
    return decodePng(image).data
  }
  expect([number, begin.slice(0, 6)]).toEqual([1, JPEG_MAGIC])
  return jpeg.decode(image).data
}

proves(
  'frames/previews-on',
  async (subject) => {
    const { frames } = await sampled(subject, await subject.connect(subject.unique('me')))
    expect(frames.length).toBeGreaterThan(0)
    for (const { fields } of frames) expect(fields['image_type']).toBe(1)
  },
  local,
)

proves('frames/preview-method', async (subject) => {
  const countWith = async (preview_method: string): Promise<number> => {
    const session = await subject.connect(subject.unique(preview_method))
    const graph = await subject.workloads.sampling(STEPS)
    await subject.run(session, graph, { extra_data: { preview_method } })
    return session.frames().length
  }
  for (const method of ['auto', 'latent2rgb']) expect(await countWith(method)).toBeGreaterThan(0)
  expect(await countWith('none')).toBe(0)
  expect(await countWith('default')).toBe(await countWith('odd'))
})

proves(
  ['frames/type-code', 'frames/preview', 'frames/image-types'],
  async (subject) => {
    const session = await subject.connect(subject.unique('me'))
    const { frames } = await sampled(subject, session)
    needsSome(frames)
    expect(frames.length).toBeLessThanOrEqual(STEPS)
    for (const bytes of session.rawFrames.slice(-frames.length)) {
      const view = Buffer.from(bytes)
      expect([view.readUInt32BE(0), [1, 2].includes(view.readUInt32BE(4))]).toEqual([1, true])
    }
    const pictures = frames.map(({ fields }) =>
      Buffer.from(
        pixelsOf(fields['image'] as Uint8Array, fields['image_type']) as Uint8Array,
      ).toString('base64'),
    )
    // A model may paint the same twice, but not all the time.
    if (pictures.length > 1) expect(new Set(pictures).size).toBeGreaterThan(1)
  },
  local,
)

proves(
  ['frames/preview-with-metadata', 'frames/metadata-names-node', 'frames/metadata-when-asked'],
  async (subject) => {
    const plain = await sampled(subject, await subject.connect(subject.unique('plain')))
    needsSome(plain.frames)
    expect(new Set(plain.frames.map(({ frame }) => frame))).toEqual(new Set(['previewImage']))
    const session = await subject.connect(subject.unique('asking'))
    const runs = [await sampled(subject, session, true), await sampled(subject, session)]
    for (const { frames } of runs) expect(frames.length).toBeGreaterThan(0)
    const all = runs.flatMap(({ prompt_id, frames }) =>
      frames.map((one) => ({ ...one, prompt_id })),
    )
    for (const { frame, fields, prompt_id } of all) {
      const metadata = fields['metadata'] as Readonly<Record<string, unknown>> | undefined
      expect(frame).toBe('previewWithMetadata')
      expect(metadata).toMatchObject({
        node_id: '3',
        prompt_id,
        display_node_id: '3',
        parent_node_id: null,
        real_node_id: '3',
      })
      const number = ['image/jpeg', 'image/png'].indexOf(String(metadata?.['image_type'])) + 1
      pixelsOf(fields['image'] as Uint8Array, number)
    }
  },
  local,
)

proves(
  'frames/preview-place',
  async (subject) => {
    // Each step of node 3 has one.
    const linesOf = async (asks: boolean): Promise<readonly string[]> => {
      const session = await subject.connect(subject.unique(`asks ${asks}`))
      const { received, frames } = await sampled(subject, session, asks)
      needsSome(frames)
      const all = received
        .filter((one) => !isMessage(one) || one.type !== 'progress' || one.data['node'] === '3')
        .map((one) => (isMessage(one) ? one.type : one.frame))
      const step = asks ? 'previewWithMetadata progress' : 'progress previewImage'
      const steps = Array.from({ length: STEPS }, () => `progress_state ${step}`)
      if (subject.isOwn) expect(all.join(' ')).toContain(steps.join(' '))
      const lines = all.filter((one) => /^(preview|progress$)/.test(one))
      expect(frames).toHaveLength(lines.filter((line) => line === 'progress').length)
      return lines
    }
    const pairs = (lines: readonly string[]): string[] =>
      lines.flatMap((line, at) =>
        line.startsWith('preview') ? [`${lines[at - 1]} ${line} ${lines[at + 1]}`] : [],
      )
    for (const pair of pairs(await linesOf(false)))
      expect(pair).toMatch(/^progress previewImage (progress|undefined)$/)
    for (const pair of pairs(await linesOf(true)))
      expect(pair).toMatch(/^(progress|undefined) previewWithMetadata progress$/)
  },
  local,
)
