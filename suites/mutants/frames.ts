// Wrong servers that send wrong binary frames on the socket.

import type { FrameContent } from 'flowdouble'
import { each, type Mutants, onFrame, redirected } from './tamper.ts'

type Image = Extract<FrameContent, { readonly image: unknown }>
type Text = Extract<FrameContent, { readonly frame: 'text' }>

/** Changes the frames that contain an image. */
const onImage = (change: (content: Image) => FrameContent) =>
  onFrame((content) => ['image' in content ? change(content) : content])

/** Changes the frames that contain a text. */
const onText = (change: (content: Text) => FrameContent) =>
  onFrame((content) => [content.frame === 'text' ? change(content) : content])

const other = ({ format }: Image): Image['format'] => (format === 'png' ? 'jpeg' : 'png')

/** An image whose header names one format and whose bytes have another: the header is written first. */
function mislabelled(content: Image): Image {
  let reads = 0
  return Object.defineProperty({ ...content }, 'format', {
    get: () => (reads++ === 0 ? other(content) : content.format),
  })
}

export const frames: Mutants = {
  'always-with-metadata': {
    breaks: ['frames/type-code', 'frames/preview', 'frames/metadata-when-asked'],
    tamper: onImage((content) => ({ ...content, frame: 'previewWithMetadata', metadata: {} })),
  },
  'never-with-metadata': {
    breaks: [
      'frames/type-code',
      'frames/preview-with-metadata',
      'frames/metadata-names-node',
      'frames/metadata-when-asked',
    ],
    tamper: onImage((content) => ({ ...content, frame: 'previewImage' })),
  },
  'metadata-of-another': {
    breaks: ['frames/preview-with-metadata', 'frames/metadata-names-node'],
    tamper: onImage((content) =>
      content.frame === 'previewWithMetadata'
        ? { ...content, metadata: { ...content.metadata, node_id: '1' } }
        : content,
    ),
  },
  'preview-never': {
    breaks: ['frames/preview', 'frames/previews-on', 'frames/image-types'],
    tamper: onFrame((content) => (content.frame === 'text' ? [content] : [])),
  },
  'preview-twice': {
    breaks: ['frames/preview', 'frames/preview-place'],
    tamper: onFrame((content) => [content, content]),
  },
  'preview-of-another-format': {
    breaks: ['frames/image-types', 'frames/previews-on'],
    tamper: onImage((content) => ({ ...content, format: other(content) })),
  },
  'preview-mislabelled': {
    breaks: ['frames/image-types', 'frames/preview'],
    tamper: onImage(mislabelled),
  },
  'preview-never-sharpens': {
    breaks: ['frames/preview'],
    tamper: onImage((content) =>
      'step' in content.image ? { ...content, image: { ...content.image, step: 1 } } : content,
    ),
  },
  'text-swapped': {
    breaks: ['frames/text'],
    tamper: onText(({ node_id, text }) => ({ frame: 'text', node_id: text, text: node_id })),
  },
  'text-in-latin-1': {
    breaks: ['frames/text'],
    tamper: onText((content) => ({
      ...content,
      text: Buffer.from(content.text).toString('latin1'),
    })),
  },
  'text-as-message': {
    breaks: ['frames/text', 'frames/type-code', 'frames/text-to-everyone'],
    tamper: each((effect) =>
      effect.kind === 'frame' && effect.content.frame === 'text'
        ? [{ kind: 'send', sockets: effect.sockets, text: '{"type": "text", "data": {}}' }]
        : [effect],
    ),
  },
  'text-to-one': {
    breaks: ['frames/text-to-everyone'],
    tamper: redirected('frame', (sockets) => sockets.slice(0, 1)),
  },
  'sent-images-unseen': {
    breaks: ['frames/socket-images'],
    tamper: redirected('frame', () => []),
  },
}
