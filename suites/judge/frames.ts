// Shared by the cases about binary frames: a graph that sends previews, and the frames as bytes.

import type { Session } from './client.ts'
import { type Graph, node } from '../generate/graphs.ts'

/** How a JPEG file begins, in hexadecimal. */
export const JPEG_MAGIC = 'ffd8ff'
/** The same of a PNG. */
export const PNG_MAGIC = '89504e470d0a1a0a'
export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** A graph that paints in this many steps, and shows the picture. */
export const painting = (steps: number, seed = 1, width = 64, height = 64): Graph => ({
  é: node('FlowdoublePreviews', { width, height, steps, seed }),
  show: node('PreviewImage', { images: ['é', 0] }),
})

/** Makes a client request previews with metadata. */
export const askForMetadata = async (session: Session, asked: unknown = true): Promise<void> => {
  session.send(
    JSON.stringify({ type: 'feature_flags', data: { supports_preview_metadata: asked } }),
  )
  await session.next(({ type }) => type === 'feature_flags')
}

/** The image files in the frames of a session. */
export const imagesOf = (session: Session): Uint8Array[] =>
  session.frames().map(({ fields }) => fields['image'] as Uint8Array)
