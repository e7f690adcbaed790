// Text frames, and the pictures that a node sends on the socket.

import { decode as decodePng } from 'fast-png'
import { node } from '../../generate/graphs.ts'
import { isMessage } from '../../judge/client.ts'
import type { DecodedFrame } from '../../../dist/emulator/session/index.js'
import { expect } from '../../judge/expect.ts'
import { hex, PNG_MAGIC } from '../../judge/frames.ts'
import { cachedNodes, uniqueNumber } from '../../judge/own-runs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { transcript } from '../../support/transcript.ts'

proves(
  ['frames/type-code', 'frames/text'],
  async ({ connect, run }) => {
    const session = await connect('me')
    await run(session, { '2': node('FlowdoubleText', { text: 'hé' }) })
    await run(session, { 'ñ€': node('FlowdoubleText', { text: '灯台 🗼' }) })
    await run(session, { '3': node('FlowdoubleText', { text: '' }) })
    const expected = [
      '00000003 00000001 32 68c3a9',
      `00000003 00000005 c3b1e282ac ${hex(Buffer.from('灯台 🗼'))}`,
      '00000003 00000001 33',
    ]
    expect(session.rawFrames.map(hex)).toEqual(expected.map((bytes) => bytes.replaceAll(' ', '')))
  },
  ownWorld,
)

proves(
  ['frames/type-code', 'frames/text', 'frames/text-to-everyone'],
  async (subject) => {
    const sessions = [
      await subject.connect(subject.unique('me')),
      await subject.connect(subject.unique('other')),
      await subject.connect(),
    ]
    const id = `größe ${subject.unique('灯台')}`
    await subject.run(sessions[0]!, {
      fill: node('EmptyImage', {
        width: 30,
        height: 20,
        batch_size: 2,
        color: uniqueNumber(subject, 'size'),
      }),
      [id]: node('GetImageSize', { image: ['fill', 0] }),
      shown: node('PreviewAny', { source: [id, 0] }),
    })
    await subject.idle()
    const text = 'width: 30, height: 20\n batch size: 2'
    const named = Buffer.from(id)
    const head = Buffer.alloc(8)
    head.writeUInt32BE(3)
    head.writeUInt32BE(named.length, 4)
    const bytes = hex(Buffer.concat([head, named, Buffer.from(text)]))
    if (subject.isOwn)
      await subject.submit({ said: node('FlowdoubleText', { text: 'for nobody' }) })
    await subject.idle()
    for (const session of sessions) {
      await session.settled()
      expect(session.rawFrames.map(hex).filter((one) => one === bytes)).toEqual([bytes])
      if (subject.isOwn)
        expect(session.frames()).toEqual([
          { frame: 'text', fields: { node_id: id, text } },
          { frame: 'text', fields: { node_id: 'said', text: 'for nobody' } },
        ])
    }
  },
  { deployment: 'local' },
)

proves('frames/socket-images', async (subject) => {
  const session = await subject.connect(subject.unique('me'))
  const color = uniqueNumber(subject, 'sent')
  const graph = {
    '1': node('EmptyImage', { width: 30, height: 20, batch_size: 2, color }),
    '2': node('SaveImageWebsocket', { images: ['1', 0] }),
  }
  for (const _ of [1, 2]) {
    const before = session.received.length
    const { messages, entry } = await subject.run(session, graph)
    expect(cachedNodes({ messages })).not.toContain('2')
    expect(messages.map(({ type }) => type)).not.toContain('executed')
    expect(entry.outputs).toEqual({})
    if (subject.isOwn) {
      const lines = transcript(session.received.slice(before))
      expect(lines.slice(lines.indexOf('executing 2'), -3)).toEqual([
        'executing 2',
        expect.stringMatching(/^progress_state .*2 running 0\/2$/),
        'progress 2 0/2',
        'previewImage',
        expect.stringMatching(/^progress_state .*2 running 1\/2$/),
        'progress 2 1/2',
        'previewImage',
        expect.stringMatching(/^progress_state .*2 finished 2\/2$/),
      ])
    }
    const frames = session.received
      .slice(before)
      .filter((one): one is DecodedFrame => !isMessage(one) && 'image' in one.fields)
    expect(frames).toHaveLength(2)
    for (const { frame, fields } of frames) {
      expect([frame, fields['image_type']]).toEqual(['previewImage', 2])
      expect(hex(fields['image'] as Uint8Array).slice(0, PNG_MAGIC.length)).toBe(PNG_MAGIC)
      const { width, height, data } = decodePng(fields['image'] as Uint8Array)
      expect([width, height]).toEqual([30, 20])
      expect(Array.from(data.slice(0, 3))).toEqual([color >> 16, (color >> 8) & 255, color & 255])
    }
  }
})
