// Previews on the socket: whether they arrive, and in which format.

import { startEmulator } from 'flowdouble'
import type { Session } from '../../judge/client.ts'
import { askForMetadata, hex, imagesOf, JPEG_MAGIC, painting } from '../../judge/frames.ts'
import { textToImage } from '../../generate/graphs.ts'
import { proves } from '../../judge/proves.ts'
import { subjectOf } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const jpegPreviews = { preview: 'jpeg' } as const

proves(
  'frames/metadata-when-asked',
  async ({ connect, run, submit, idle }) => {
    const kindsOf = (session: Session): unknown => [
      ...new Set(session.frames().map(({ frame }) => frame)),
    ]
    const plain = await connect('plain')
    await askForMetadata(await connect('asking'))
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
    await submit(painting(1, 12))
    await idle()
    await Promise.all([plain.settled(), again.settled()])
    expect(plain.frames()).toHaveLength(1)
    expect(again.frames()).toHaveLength(2)
    expect(kindsOf(again)).toEqual(['previewImage'])
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
    const plain = subjectOf(await startEmulator({ clock: 'manual' }))
    try {
      const session = await plain.connect('me')
      await plain.run(session, textToImage())
      const jpegs = Array.from({ length: 3 }, () => JPEG_MAGIC)
      expect(imagesOf(session).map((bytes) => hex(bytes.subarray(0, 3)))).toEqual(jpegs)
    } finally {
      await plain.close()
    }
  },
  { clock: 'manual' },
)
