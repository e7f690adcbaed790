// The layouts of binary frames on the socket. Each begins with its type code, 4 bytes; numbers are big-endian.

import { type Frame, type Rules, chosen, stated, observedIn, observedAt } from '../language.ts'
import { object, oneOf, optional, text, textOrNull } from '../schema.ts'

export const frames = {
  previewImage: {
    type: 1,
    when: 'A preview, for clients that did not request previews with metadata.',
    fields: [
      { name: 'image_type', is: 'u32', values: { 'image/jpeg': 1, 'image/png': 2 } },
      { name: 'image', is: 'bytes' },
    ],
  },
  text: {
    type: 3,
    when: 'A node reports its progress as text.',
    fields: [
      { name: 'node_id', is: 'prefixed-text' },
      { name: 'text', is: 'text' },
    ],
  },
  previewWithMetadata: {
    type: 4,
    when: 'A preview, for clients that requested previews with metadata.',
    fields: [
      { name: 'metadata', is: 'prefixed-json' },
      { name: 'image', is: 'bytes' },
    ],
  },
} as const satisfies Readonly<Record<string, Frame>>

/** The JSON of a `previewWithMetadata` frame. */
export const previewMetadata = object({
  node_id: text,
  prompt_id: text,
  display_node_id: text,
  parent_node_id: textOrNull,
  real_node_id: text,
  image_type: optional(oneOf('image/jpeg', 'image/png')),
})

const observed = observedIn('binary frames')

export const rules = {
  ...stated.both({
    'frames/type-code':
      'A frame begins with its type code in 4 bytes, and its numbers are big-endian. [A136]',
    'frames/preview': 'A frame of type 1 holds an image type and an image. [A137]',
    'frames/image-types':
      'The image type of a preview is 1 for JPEG and 2 for PNG, and matches its bytes. [A138]',
    'frames/text': 'A frame of type 3 holds a node id after its length, then text in UTF-8. [A139]',
    'frames/preview-with-metadata':
      'A frame of type 4 holds JSON after its length, then an image. [A140]',
  }),
  ...observed.local({
    'frames/metadata-when-asked':
      'Previews have type 4 for clients that requested metadata, and type 1 for others.',
  }),
  ...observed.both({
    'frames/metadata-names-node':
      'The metadata of a preview names its node, its run and the kind of image.',
  }),
  ...observed.local({
    'frames/preview-place':
      'A step sends progress_state, a preview of type 4, progress, a preview of type 1.',
  }),
  ...observedAt('ComfyUI 0.27.0, read: POST /prompt', { since: '0.27' }).local({
    'frames/preview-method':
      'The preview_method in extra_data turns the previews of its run on or off.',
  }),
  ...observed.local({
    'frames/text-to-everyone': 'Text frames go to every socket.',
    'frames/socket-images':
      'SaveImageWebsocket sends each image as a PNG preview, without executed.',
  }),
  ...chosen.both({ 'frames/previews-on': 'Samplers send JPEG previews by default.' }),
} as const satisfies Rules
