// Previews on the socket: whether they arrive, in which format, and when during a step.

import { startEmulator } from 'flowdouble'
import { frames } from '../../../spec/server/frames.ts'
import { openSession, type Session } from '../../judge/client.ts'
import { askForMetadata, hex, imagesOf, JPEG_MAGIC, painting } from '../../judge/frames.ts'
import { textToImage } from '../../generate/graphs.ts'
import { proves } from '../../judge/proves.ts'
import { transcript } from '../../support/transcript.ts'
import { expect } from '../../judge/expect.ts'

const jpegPreviews = { preview: 'jpeg' } as const

proves(
  'frames/metadata-when-asked',
  async ({ connect, run, submit, idle }) => {
    const kindsOf = (session: Session): unknown => [
      ...new Set(session.frames().map(({ frame }) => frame)),
    ]
    const plain = await connect('plain')
    const asking = await connect('asking')
    await askForMetadata(asking)
    await run(asking, painting(1, 1))
    await run(plain, painting(1, 2))
    expect([kindsOf(asking), kindsOf(plain)]).toEqual([['previewWithMetadata'], ['previewImage']])
    for (const [index, asked] of [false, 1, 'true', null].entries()) {
      const session = await connect(`not quite ${String(asked)}`)
      await askForMetadata(session, asked)
      await run(session, painting(1, 3 + index))
      expect(kindsOf(session)).toEqual(['previewImage'])
    }
    const late = await connect('late')
    late.send('{"type": "hello"}')
    late.send('{"type": "feature_flags", "data": {"supports_preview_metadata": true}}')
    await late.settled()
    await run(late, painting(1, 10))
    expect(kindsOf(late)).toEqual(['previewImage'])
    const again = await connect('asking')
    await run(again, painting(1, 11))
    expect(kindsOf(again)).toEqual(['previewImage'])
    const before = plain.frames().length
    await submit(painting(1, 12))
    await idle()
    await Promise.all([plain.settled(), again.settled()])
    expect(plain.frames().slice(before)).toHaveLength(1)
    expect(again.frames().at(-1)?.frame).toBe('previewImage')
  },
  jpegPreviews,
)

const placed: readonly (readonly [boolean, readonly string[]])[] = [
  [true, ['progress_state', 'previewWithMetadata', 'progress']],
  [false, ['progress_state', 'progress', 'previewImage']],
]

proves(
  'frames/preview-place',
  async ({ connect, run }) => {
    for (const [asked, parts] of placed) {
      const session = await connect(`${asked}`)
      if (asked) await askForMetadata(session)
      await run(session, painting(2, asked ? 1 : 2))
      const steps = transcript(session.received).filter((line) => /^(preview|progress)/.test(line))
      expect(steps.slice(1, 7).map((line) => line.split(' ')[0])).toEqual([...parts, ...parts])
      expect(steps).toHaveLength(1 + 6 + 3)
    }
  },
  jpegPreviews,
)

proves(
  'frames/previews-on',
  async ({ connect, run, submit, idle }) => {
    const silent = await connect('silent')
    await run(silent, textToImage())
    await submit(painting(2))
    await idle()
    await silent.settled()
    expect(silent.frames()).toEqual([])
  },
  { preview: 'none' },
)

proves(
  'frames/previews-on',
  async () => {
    const plain = await startEmulator({ clock: 'manual' })
    const session = await openSession(plain.url, '/ws?clientId=me', 'me')
    try {
      const body = JSON.stringify({ prompt: textToImage(), client_id: 'me' })
      expect((await fetch(`${plain.url}/prompt`, { method: 'POST', body })).status).toBe(200)
      await plain.until('idle')
      await session.settled()
      expect(imagesOf(session).map((bytes) => hex(bytes.subarray(0, 3)))).toEqual(
        Array.from({ length: 3 }, () => JPEG_MAGIC),
      )
      expect(session.frames().map(({ fields }) => fields['image_type'])).toEqual(
        Array.from({ length: 3 }, () => frames.previewImage.fields[0].values['image/jpeg']),
      )
    } finally {
      await session.close()
      await plain.close()
    }
  },
  { clock: 'manual' },
)
