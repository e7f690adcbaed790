// Files: viewing them, uploading images and masks, and the names that output nodes give.

import { both, hosted, local, type Endpoints, type Rules, type Schema } from '../language.ts'
import { hostedError } from './errors.ts'

export const folderTypes = ['output', 'input', 'temp'] as const

/** A file in the outputs of a node. */
export const fileEntry = {
  type: 'object',
  properties: {
    filename: { type: 'string' },
    subfolder: { type: 'string' },
    type: { enum: folderTypes },
  },
  required: ['filename', 'subfolder', 'type'],
} as const satisfies Schema

const fileEntries = { type: 'array', items: fileEntry } as const

/** What an output node shows: lists by key, which under these keys hold files. */
export const nodeOutput = {
  type: 'object',
  properties: {
    images: fileEntries,
    audio: fileEntries,
    latents: fileEntries,
    video: fileEntries,
    videos: fileEntries,
    '3d': fileEntries,
  },
  additionalProperties: { type: 'array', items: {} },
} as const satisfies Schema

export const uploadReply = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    subfolder: { type: 'string' },
    type: { type: 'string' },
  },
  required: ['name', 'subfolder', 'type'],
} as const satisfies Schema

/** The form field `original_ref` of a mask upload, as JSON text: the image that the mask belongs to. */
export const originalRef = {
  type: 'object',
  properties: {
    filename: { type: 'string' },
    subfolder: { type: 'string' },
    type: { type: 'string' },
  },
  required: ['filename'],
} as const satisfies Schema

const formFields = {
  image: { type: 'string', contentMediaType: 'application/octet-stream' },
  type: { enum: folderTypes },
  subfolder: { type: 'string' },
  overwrite: { type: 'string' },
} as const satisfies Readonly<Record<string, Schema>>

/** The multipart form of an upload: `image` is the file, `overwrite` is true as "true" or "1". */
export const uploadForm = {
  type: 'object',
  properties: formFields,
  required: ['image'],
} as const satisfies Schema

/** The same for a mask; `original_ref` is JSON text. */
export const maskForm = {
  type: 'object',
  properties: {
    ...formFields,
    original_ref: {
      type: 'string',
      contentMediaType: 'application/json',
      contentSchema: originalRef,
      examples: ['{"filename": "ComfyUI_00001_.png"}'],
    },
  },
  required: ['image', 'original_ref'],
} as const satisfies Schema

/** The files that belong to a mask; null where there is none. */
export const maskLayers = {
  type: 'object',
  properties: {
    mask: { type: ['string', 'null'] },
    paint: { type: ['string', 'null'] },
    painted: { type: ['string', 'null'] },
    painted_masked: { type: ['string', 'null'] },
  },
  required: ['mask', 'paint', 'painted', 'painted_masked'],
} as const satisfies Schema

/** What an upload to hosted is limited to: bytes, pixels of a side, pixels in all. */
export const hostedUploadLimits = {
  bytes: 50 * 2 ** 20,
  side: 16384,
  pixels: 67108864,
} as const

/** So long a signed link works, in seconds. */
export const LINK_LIFETIME_S = 3600

const hostedUploadReplies = {
  200: uploadReply,
  400: hostedError,
  413: hostedError,
} as const

export const endpoints = {
  view: {
    method: 'GET',
    path: '/view',
    on: both,
    does: 'Gives a file, on hosted the way to it.',
    query: {
      filename: { type: 'string', minLength: 1, examples: ['example.png'] },
      subfolder: { type: 'string' },
      type: { enum: folderTypes, examples: ['input'] },
      preview: { type: 'string' },
      channel: { type: 'string' },
    },
    replies: {
      200: 'bytes',
      206: 'bytes',
      304: 'empty',
      400: 'empty',
      403: 'empty',
      404: 'empty',
      412: 'empty',
      416: 'empty',
      500: 'text',
    },
    hostedReplies: {
      302: 'empty',
      400: hostedError,
      404: hostedError,
    },
    // A file name must not leave its folder.
    rejectsValid: local,
  },
  uploadImage: {
    method: 'POST',
    path: '/upload/image',
    on: both,
    does: 'Stores a file, by default among the inputs.',
    body: 'multipart',
    form: uploadForm,
    replies: { 200: uploadReply, 400: 'empty', 413: 'text', 500: 'text' },
    hostedReplies: hostedUploadReplies,
    acceptsInvalid: both,
  },
  uploadMask: {
    method: 'POST',
    path: '/upload/mask',
    on: both,
    does: 'Stores an image again with the alpha channel of the uploaded mask.',
    body: 'multipart',
    form: maskForm,
    replies: { 200: uploadReply, 400: 'empty', 413: 'text', 500: 'text' },
    hostedReplies: { ...hostedUploadReplies, 404: hostedError },
    // A mask must be a picture, and fit its original.
    rejectsValid: both,
    acceptsInvalid: both,
  },
  maskLayers: {
    method: 'GET',
    path: '/files/mask-layers',
    on: hosted,
    does: 'Tells which files belong to a mask.',
    query: { filename: { type: 'string', minLength: 1 } },
    replies: { 200: maskLayers, 400: hostedError, 404: hostedError },
  },
} as const satisfies Endpoints

export const rules = {
  'files/view': {
    says: 'GET /view gives the bytes of the file that filename, subfolder and type name.',
    basis: 'stated',
    on: local,
    carries: ['A4', 'A21', 'A75', 'A76', 'A77'],
  },
  'files/view-headers': {
    says: 'A viewed file has its media type and its name in Content-Disposition.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/view-annotated': {
    says: 'A filename that ends in a folder name in brackets is looked up in that folder.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/view-missing': {
    says: 'GET /view of a missing file, or without filename, answers 404.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/view-bad-name': {
    says: 'GET /view answers 400 to a bad filename or type, 403 to a subfolder outside.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/view-converted': {
    says: 'preview and channel make GET /view answer with a converted picture.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/view-undecodable': {
    says: 'A conversion of what is no picture, a damaged one or a huge one answers 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/view-bombs': {
    says: 'Of a PNG file no more bytes are unpacked for a conversion than its header announces.',
    basis: 'chosen',
    on: local,
  },
  'files/view-webp': {
    says: 'A WebP conversion is lossless, whatever its quality; one above 100 answers 500.',
    basis: 'chosen',
    on: local,
  },
  'files/view-conditional': {
    says: 'A viewed file has ETag and Last-Modified, which conditional requests are held against.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/view-range': {
    says: 'A Range of a viewed file answers 206 with that part, or 416 where there is none.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/hosted-view': {
    says: 'A hosted GET /view answers 302 with a signed URL in Location.',
    basis: 'stated',
    on: hosted,
    carries: ['A4', 'A22'],
  },
  'files/hosted-signed-url': {
    says: 'The signed URL lies on another host and gives the bytes without the key.',
    basis: 'stated',
    on: hosted,
    carries: ['A111'],
  },
  'files/hosted-view-missing': {
    says: 'A hosted view of a missing file, or one of another account, answers 404.',
    basis: 'observed',
    source: 'published hosted API, 2026, files',
    on: hosted,
  },
  'files/hosted-view-bad': {
    says: 'A hosted view without filename, or of an unknown type, answers 400.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-view-flat': {
    says: 'A hosted view looks for the filename alone, whatever subfolder and type say.',
    basis: 'observed',
    source: 'published hosted API, 2026, files',
    on: hosted,
  },
  'files/hosted-view-only': {
    says: 'No hosted request but one for a view is answered with a redirect.',
    basis: 'observed',
    source: 'published hosted API, 2026, files',
    on: hosted,
  },
  'files/hosted-link-host': {
    says: 'A signed link names 127.0.0.1, and localhost where the request names 127.0.0.1.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-base': {
    says: 'A server that is told a base address for its signed links begins them with it.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-signed-host': {
    says: 'A signed link works at the host that it names alone: with another Host it answers 403.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-query': {
    says: 'A signed link carries algorithm, date, lifetime and signature under X-Goog- names.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-file': {
    says: 'A signed link answers HEAD, Range and conditional requests like a local view.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-expiry': {
    says: "A signed link works for an hour of the server's time, then answers 400 ExpiredToken.",
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-tampered': {
    says: 'A signed link that is changed in any place answers 403 SignatureDoesNotMatch.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-account': {
    says: 'A signature holds for one file of one account.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-leak': {
    says: 'A key or token in a header of a signed link is served, and the journal tells a leak.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-leak-address': {
    says: 'A known key of 8 characters or more in the address of a link is told as a leak too.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-strict': {
    says: 'Where signed links are strict, one with a key or token in a header answers 403.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-cors': {
    says: 'Pages of every origin can read what signed links answer, and OPTIONS is answered.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-method': {
    says: 'A signed link takes GET, HEAD and OPTIONS, and answers 405 to others.',
    basis: 'chosen',
    on: hosted,
  },
  'files/entry': {
    says: 'A file in an output is told as filename, subfolder and type.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: files',
    on: both,
  },
  'files/saved-name': {
    says: 'Saved files are named by their prefix, which can hold a subfolder, and a counter.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/prefix-outside': {
    says: 'A prefix that leaves the outputs fails its node with a text of three paths.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/prefix-odd': {
    says: 'The last part of a prefix is a name whatever it is: a dot, two dots, a backslash.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/batch-number-kept': {
    says: 'Latents, videos, meshes and animations keep %batch_num% in their names as it is.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/temp-letters': {
    says: 'A preview node has new letters and count 1 after a run of a graph without it.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/preview-is-temp': {
    says: 'Preview nodes save into the folder temp.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/workflow-in-png': {
    says: 'A saved PNG holds the workflow and the members of extra_pnginfo as text.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/is-changed': {
    says: 'The workflow in a saved PNG tells the SHA-256 of each loaded file as is_changed.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/is-changed-of-own': {
    says: 'Of a picture that the server painted, is_changed tells a text of that form for its content.',
    basis: 'chosen',
    on: local,
  },
  'files/samples': {
    says: 'Outputs that are no pictures are one small valid sample of their format.',
    basis: 'chosen',
    on: both,
  },
  'files/animated': {
    says: 'Animations are told as animated true, a WebP file of a single frame as false.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/animation-frames': {
    says: 'An animated PNG or WebP file shows each picture of the batch for its part of fps.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/animation-merged': {
    says: 'Pictures of an animation that equal the one before make it stay; one alone makes no animation.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/animation-text': {
    says: 'Animated PNG files hold the workflow in comf chunks behind the pixels, WebP in EXIF.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/animation-webp': {
    says: 'The frames of an animated WebP file are lossless, whatever its node asks for.',
    basis: 'chosen',
    on: local,
  },
  'files/animation-pixels': {
    says: 'An animation ends before its frames hold more than 16,777,216 pixels.',
    basis: 'chosen',
    on: local,
  },
  'files/loss-graph': {
    says: 'LossGraphNode saves a PNG in the folder temp, named after its prefix and the time.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/preview-3d': {
    says: 'Previews of 3D models give the model file and the camera, or null, as result.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/examples': {
    says: 'A new server holds the input files that its node types name, and lists them there.',
    basis: 'chosen',
    on: local,
  },
  'files/local-videos': {
    says: 'Video outputs stand under the key videos.',
    basis: 'stated',
    on: local,
    carries: ['A46', 'A47'],
  },
  'files/hosted-video': {
    says: 'Hosted video outputs stand under the key video.',
    basis: 'stated',
    on: hosted,
    carries: ['A45', 'A47'],
  },
  'files/upload': {
    says: 'POST /upload/image stores the file of the field image under the folder type.',
    basis: 'stated',
    on: both,
    carries: ['A5', 'A79', 'A80'],
  },
  'files/upload-reply': {
    says: 'An upload is answered with name, subfolder and type, as texts.',
    basis: 'stated',
    on: both,
    carries: ['A55', 'A56', 'A57', 'A83'],
  },
  'files/upload-overwrite': {
    says: 'With overwrite true an upload replaces the file of its name.',
    basis: 'stated',
    on: local,
    carries: ['A81'],
  },
  'files/upload-overwrite-words': {
    says: 'The words true and 1 alone mean overwrite; anything else does not.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/upload-renamed': {
    says: 'Without overwrite a taken name gets a number, unless the bytes are the same.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/upload-subfolder': {
    says: 'A local upload is stored in its subfolder, among the inputs when it has no type.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/upload-bad': {
    says: 'An upload without image or to outside answers 400, one of an unknown type 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/upload-odd-names': {
    says: 'A file name loses the slashes at its start; its blanks, and backslashes in a subfolder, stay.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/upload-image-text': {
    says: 'An upload whose image is a text instead of a file answers 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/upload-bounds': {
    says: 'An upload that takes all that are kept, outputs of them too, beyond 512 MiB answers 413.',
    basis: 'chosen',
    on: local,
  },
  'files/upload-text-bytes': {
    says: 'An upload with bytes that are no text, where a text belongs, answers 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/upload-is-usable': {
    says: 'A workflow loads an uploaded image by the name in the reply.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: files',
    on: both,
  },
  'files/loaded-alpha': {
    says: 'LoadImage gives the colours of a file opaque, and its alpha inverted as a mask.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/loaded-without-alpha': {
    says: 'The mask of a file without an alpha channel is black, 64 pixels wide and high.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/loaded-broken': {
    says: 'A loaded file that is no picture fails its node with the absolute path of the file.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, execution',
    on: local,
  },
  'files/loaded-mask': {
    says: 'LoadImageMask gives one channel of a file as a mask, the alpha inverted.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/hosted-upload-subfolder': {
    says: 'A hosted upload tells its subfolder back and is stored without it.',
    basis: 'stated',
    on: hosted,
    carries: ['A82'],
  },
  'files/hosted-upload-name': {
    says: 'A hosted upload is named after its content.',
    basis: 'observed',
    source: 'published hosted API, 2026, files',
    on: hosted,
  },
  'files/hosted-upload-same': {
    says: 'Identical bytes are one hosted file: overwrite and a second upload change nothing.',
    basis: 'observed',
    source: 'published hosted API, 2026, files',
    on: hosted,
  },
  // The `input` of the description is an example of a type, not its default, so the servers decide.
  'files/hosted-upload-type': {
    says: 'A hosted upload without type is told as output; a workflow finds any by its name.',
    basis: 'observed',
    source: 'published hosted API, 2026, files',
    on: hosted,
  },
  'files/hosted-upload-limits': {
    says: `Hosted uploads above ${hostedUploadLimits.bytes / 2 ** 20} MB, ${hostedUploadLimits.side} pixels a side or ${hostedUploadLimits.pixels} in all answer 400.`,
    basis: 'observed',
    source: 'published hosted API, 2026, files',
    on: hosted,
  },
  'files/hosted-upload-bounds': {
    says: 'An upload that takes those of its account beyond 512 MiB answers 413 on hosted.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-upload-bad': {
    says: 'A hosted upload without a file, or of an unknown type, answers 400.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-upload-text-bytes': {
    says: 'A hosted upload with bytes that are no text, where a text belongs, answers 400.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-output-name': {
    says: 'Hosted outputs are named after their content, in no subfolder.',
    basis: 'observed',
    source: 'published hosted API, 2026, files',
    on: hosted,
  },
  'files/mask': {
    says: 'POST /upload/mask stores a picture from an image form and answers like an upload.',
    basis: 'stated',
    on: both,
    carries: ['A5', 'A84', 'A86'],
  },
  'files/mask-original': {
    says: 'original_ref names the uploaded image, as JSON text, that the mask belongs to.',
    basis: 'stated',
    on: both,
    carries: ['A85'],
  },
  'files/mask-alpha': {
    says: 'A stored mask is the original with the alpha channel of the upload.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/mask-bad-original': {
    says: 'A mask whose original_ref is no JSON object with a filename answers 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/mask-lost-original': {
    says: 'A mask whose original does not exist is answered like any, and not stored.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/mask-unfit': {
    says: 'A mask that is no picture, or not as large as its original, answers 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/mask-format': {
    says: 'A mask is stored as PNG or WebP, as its name ends; another ending answers 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/hosted-mask': {
    says: 'A hosted mask is the original with its alpha channel, named after what it shows.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-mask-original': {
    says: 'A hosted mask of an unknown original answers 404, of a malformed reference 400.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-mask-unfit': {
    says: 'A hosted mask that cannot be put onto its original as PNG or WebP answers 400.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-mask-layers': {
    says: 'GET /api/files/mask-layers names the layers of a mask, and answers 404 for others.',
    basis: 'observed',
    source: 'published hosted API, 2026, files',
    on: hosted,
  },
  'files/mask-text': {
    says: 'A mask that is stored as PNG keeps the texts of its original.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
} as const satisfies Rules
