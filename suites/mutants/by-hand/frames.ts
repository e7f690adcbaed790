// Wrong servers that send wrong binary frames on the socket.

import type { Effect, FrameContent } from 'flowdouble'
import { each, isSent, type Mutants, onFrame, redirected, type Tamper } from '../tamper.ts'

type Image = Extract<FrameContent, { readonly image: unknown }>

type Text = Extract<FrameContent, { readonly frame: 'text' }>

/** Changes the frames that contain an image. */
const onImage = (change: (content: Image) => FrameContent) =>
  onFrame((content) => ['image' in content ? change(content) : content])

/** Changes the frames that contain a text. */
const onText = (change: (content: Text) => FrameContent) =>
  onFrame((content) => [content.frame === 'text' ? change(content) : content])

const other = ({ format }: Image): Image['format'] => (format === 'png' ? 'jpeg' : 'png')

/** A preview whose header names JPEG and whose bytes begin like a PNG. */
const mislabelled: FrameContent = {
  frame: 'recorded',
  bytes: Buffer.from('000000010000000189504e470d0a1a0a', 'hex'),
}

/** The node id and text as a client reads them if the length counts characters instead of bytes. */
function countedInCharacters(content: Text): Text {
  const bytes = Buffer.from(content.node_id)
  const length = content.node_id.length
  return {
    ...content,
    node_id: bytes.subarray(0, length).toString(),
    text: bytes.subarray(length).toString() + content.text,
  }
}

/** Sends frames of type 1 to everyone while a socket is open that did not ask for metadata. */
function metadataWhenAllAsk(): Tamper {
  const silent = new Set<number>()
  const plain = onImage((content) => ({ ...content, frame: 'previewImage' }))()
  return (effects, input) => {
    if (input.kind === 'open') silent.add(input.socket)
    if (input.kind === 'close') silent.delete(input.socket)
    if (input.kind === 'message' && input.text.includes('true')) silent.delete(input.socket)
    return silent.size > 0 ? plain(effects, input) : effects
  }
}

/** Sends the preview of a step after its progress. */
function previewsLast(): Tamper {
  const held: Effect[] = []
  return each((effect) => {
    if (effect.kind === 'frame') {
      held.push(effect)
      return []
    }
    return isSent(effect, 'progress') ? [effect, ...held.splice(0)] : [effect]
  })()
}

/** The metadata of all previews name the first run. */
function firstRunInMetadata(): Tamper {
  let prompt_id: string | null | undefined
  return onImage((content) => {
    if (content.frame !== 'previewWithMetadata') return content
    prompt_id ??= content.metadata['prompt_id'] ?? null
    return { ...content, metadata: { ...content.metadata, prompt_id } }
  })()
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
    tamper: onImage(() => mislabelled),
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
  'metadata-unless-somebody-did-not-ask': {
    breaks: ['frames/metadata-when-asked'],
    tamper: metadataWhenAllAsk,
  },
  'metadata-of-the-first-run': {
    breaks: ['frames/metadata-names-node'],
    tamper: firstRunInMetadata,
  },
  'metadata-says-jpeg': {
    breaks: ['frames/metadata-names-node'],
    options: { preview: 'png' },
    tamper: onImage((content) =>
      content.frame === 'previewWithMetadata'
        ? { ...content, metadata: { ...content.metadata, image_type: 'image/jpeg' } }
        : content,
    ),
  },
  'last-preview-is-missing': {
    breaks: ['frames/preview-place'],
    tamper: onFrame((content) => {
      const isLast =
        'image' in content && 'step' in content.image && content.image.step === content.image.steps
      return isLast ? [] : [content]
    }),
  },
  'previews-after-progress': { breaks: ['frames/preview-place'], tamper: previewsLast },
  'text-counts-characters': { breaks: ['frames/text'], tamper: onText(countedInCharacters) },
  'long-text-is-cut': {
    breaks: ['frames/text'],
    missedBy: ['frames/text'],
    tamper: onText((content) => ({ ...content, text: content.text.slice(0, 255) })),
  },
  'second-socket-image-is-jpeg': {
    breaks: ['frames/socket-images'],
    tamper: () => {
      let count = 0
      return onImage((content) =>
        'step' in content.image || ++count % 2 === 1 ? content : { ...content, format: 'jpeg' },
      )()
    },
  },
  'preview-method-is-ignored': { breaks: ['frames/preview-method'], tamper: onFrame(() => []) },
}
