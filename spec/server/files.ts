// Files: viewing them, uploading images and masks, and the names of output files.

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
    /** The asset of the file, on a server with assets. */
    id: { type: 'string', volatile: true },
  },
  required: ['filename', 'subfolder', 'type'],
} as const satisfies Schema

const fileEntries = { type: 'array', items: fileEntry } as const

/** The output of a node: lists by key, which hold files under these keys. */
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

/** The files that belong to a mask; null for a layer that does not exist. */
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

/** The limits of a hosted upload: bytes, pixels per side, pixels in total. */
export const hostedUploadLimits = {
  bytes: 50 * 2 ** 20,
  side: 16384,
  pixels: 67108864,
} as const

/** The lifetime of a signed link, in seconds. */
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
    does: 'Returns a file; on the hosted server a redirect to it.',
    requiredQuery: ['filename'],
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
    // A mask must be an image that fits its original.
    rejectsValid: both,
    acceptsInvalid: both,
  },
  maskLayers: {
    method: 'GET',
    path: '/files/mask-layers',
    on: hosted,
    does: 'Returns the names of the files that belong to a mask.',
    query: { filename: { type: 'string', minLength: 1 } },
    requiredQuery: ['filename'],
    replies: { 200: maskLayers, 400: hostedError, 404: hostedError },
  },
} as const satisfies Endpoints

export const rules = {
  'files/view': {
    says: 'GET /view returns the bytes of the file that filename, subfolder and type name.',
    basis: 'stated',
    on: local,
    carries: ['A4', 'A21', 'A75', 'A76', 'A77'],
  },
  'files/view-headers': {
    says: 'A viewed file has its media type, and its name in Content-Disposition.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
    before: '0.27',
  },
  'files/view-guarded': {
    says: 'A viewed file has its media type and name, and no type is guessed or run as a page.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, files',
    on: local,
    since: '0.27',
  },
  'files/view-as-image': {
    says: 'An SVG image has its type where a page asks for an image; nobody keeps it.',
    basis: 'observed',
    source: 'ComfyUI 0.33.0, files',
    on: local,
    since: '0.33',
  },
  'files/view-annotated': {
    says: 'The server looks up a filename that ends in a folder name in brackets in that folder.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/view-missing': {
    says: 'GET /view of a missing file, or without filename, returns 404.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/view-bad-name': {
    says: 'GET /view returns 400 for an invalid filename or type, 403 for a subfolder outside.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/view-converted': {
    says: 'With preview or channel GET /view returns a converted image.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/view-undecodable': {
    says: 'Converting a file that is not an image, or is damaged, returns 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/view-cut': {
    says: 'Converting an image that lacks its last bytes, or is too large, returns 500 too.',
    basis: 'chosen',
    on: local,
  },
  'files/view-bombs': {
    says: 'For a conversion the server unpacks no more bytes of a PNG file than its header announces.',
    basis: 'chosen',
    on: local,
  },
  'files/large-pictures': {
    says: 'While a picture of more than 2,000,000 pixels is encoded, the server answers other requests.',
    basis: 'chosen',
    on: local,
  },
  'files/view-left': {
    says: 'The server stops making a large picture when the last client that waits for it disconnects.',
    basis: 'chosen',
    on: local,
  },
  'files/view-webp': {
    says: 'A WebP conversion is lossless at any quality; a quality above 100 returns 500.',
    basis: 'chosen',
    on: local,
  },
  'files/view-conditional': {
    says: 'A viewed file has ETag and Last-Modified, and GET /view supports conditional requests.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/view-range': {
    says: 'A Range of a viewed file returns 206 with that part, or 416 if it cannot be satisfied.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/range-refused': {
    says: 'A 416 to a Range has an empty body in chunks, without a length.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'files/hosted-view': {
    says: 'A hosted GET /view returns 302 with a signed URL in Location.',
    basis: 'stated',
    on: hosted,
    carries: ['A4', 'A22'],
  },
  'files/hosted-signed-url': {
    says: 'The signed URL is on another host and returns the bytes without the key.',
    basis: 'stated',
    on: hosted,
    carries: ['A111'],
  },
  'files/hosted-view-missing': {
    says: 'A hosted view of a missing file, or of a file of another account, returns 404.',
    basis: 'observed',
    source: 'published hosted API, 2026, files',
    on: hosted,
  },
  'files/hosted-view-bad': {
    says: 'A hosted view without filename, or with an unknown type, returns 400.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-view-flat': {
    says: 'A hosted view finds a file by its filename alone and ignores subfolder and type.',
    basis: 'observed',
    source: 'published hosted API, 2026, files',
    on: hosted,
  },
  'files/hosted-view-only': {
    says: 'The hosted server redirects only requests for a view.',
    basis: 'observed',
    source: 'published hosted API, 2026, files',
    on: hosted,
  },
  'files/hosted-link-host': {
    says: 'A signed link names 127.0.0.1, or localhost if the request names 127.0.0.1.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-base': {
    says: 'A server that is configured with a base address for signed links begins them with it.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-signed-host': {
    says: 'A signed link works only at the host that it names; another Host returns 403.',
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
    says: 'A signed link works for an hour of server time, then returns 400 ExpiredToken.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-tampered': {
    says: 'A signed link with any change returns 403 SignatureDoesNotMatch.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-account': {
    says: 'A signature is valid for one file of one account.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-leak': {
    says: 'A signed link with a key or token in a header works, and the journal reports a leak.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-leak-address': {
    says: 'A known key of 8 characters or more in the address of a signed link is reported as a leak too.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-strict': {
    says: 'A strict server returns 403 for a signed link with a key or token in a header.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-cors': {
    says: 'Pages of every origin can read the replies to signed links, and OPTIONS is supported.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-link-method': {
    says: 'A signed link supports GET, HEAD and OPTIONS, and returns 405 for other methods.',
    basis: 'chosen',
    on: hosted,
  },
  'files/entry': {
    says: 'An output describes a file by filename, subfolder and type.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: files',
    on: both,
  },
  'files/saved-name': {
    says: 'A saved file is named by its prefix, which can include a subfolder, and a counter.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/prefix-restarts': {
    says: 'A prefix that ends in a slash, and an empty one, counts from 1 in each run and replaces files.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/prefix-outside': {
    says: 'A prefix that leaves the output folder fails its node with a text that contains three paths.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/prefix-odd': {
    says: 'The last part of a prefix can be any name, such as a dot, two dots or a backslash.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/prefix-surrogate': {
    says: 'A prefix with half of a surrogate pair fails the run with UnicodeEncodeError.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/batch-number-kept': {
    says: 'Names of latents, videos, meshes and animations keep %batch_num% unreplaced.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/temp-letters': {
    says: 'After a run of a graph without it, a preview node has new letters and restarts at count 1.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/preview-is-temp': {
    says: 'Preview nodes save files in the folder temp.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/workflow-in-png': {
    says: 'A saved PNG contains the workflow and the members of extra_pnginfo as text.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/odd-metadata': {
    says: 'A saving node fails where extra_pnginfo is a text, a number, a boolean or a filled array.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64 and 0.27.0, execution',
    on: local,
  },
  'files/workflow-in-latent': {
    says: 'A saved latent contains the workflow and the members of extra_pnginfo in __metadata__.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/alpha-kept': {
    says: 'A saved picture of four channels keeps its alpha channel, even if all pixels are opaque.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/is-changed': {
    says: 'The workflow in a saved PNG contains the SHA-256 of each loaded file as is_changed.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/is-changed-of-own': {
    says: 'For an image that the server painted, is_changed is a text of that form for its content.',
    basis: 'chosen',
    on: local,
  },
  'files/samples': {
    says: 'Sounds, videos, meshes and drawings are a fixed small valid sample per format.',
    basis: 'chosen',
    on: both,
  },
  'files/animated': {
    says: 'The output of an animation has animated true; that of a single-frame WebP file has false.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
    before: '0.27',
  },
  'files/one-picture-not-animated': {
    says: 'The output of an animation has animated true; that of one picture has no animated.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, files',
    on: local,
    since: '0.27',
  },
  'files/mask-preview': {
    says: 'The output of MaskPreview has animated false, and its pictures have no metadata.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, files',
    on: local,
    since: '0.27',
  },
  'files/animation-frames': {
    says: 'An animated PNG or WebP file shows each image of the batch for 1/fps seconds.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/animation-merged': {
    says: 'An animation merges consecutive equal images; a single image becomes a still.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/animation-text': {
    says: 'Animated PNG files hold the workflow in comf chunks after the pixels, WebP files in EXIF.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/animation-webp': {
    says: 'The frames of an animated WebP file are lossless, whatever its node requests.',
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
    says: 'Previews of 3D models return the model file and the camera, or null, as result.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
    before: '0.27',
  },
  'files/preview-3d-parts': {
    says: 'Previews of 3D models return the model file, the camera and a background, or null, as result.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, outputs of nodes',
    on: local,
    since: '0.27',
  },
  'files/audio-underscore': {
    says: 'The names of saved audio files end in their number and an underscore.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
    before: '0.27',
  },
  'files/audio-names': {
    says: 'The names of saved audio files end in their number, without an underscore.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, outputs of nodes',
    on: local,
    since: '0.27',
  },
  'files/audio-counts': {
    says: 'The next audio file of a prefix has the next number.',
    basis: 'chosen',
    on: local,
    since: '0.27',
  },
  'files/output-metadata': {
    says: 'The entry of a picture has its kind, width and height as metadata, that of a video its kind.',
    basis: 'observed',
    source: 'ComfyUI 0.38.1, read: outputs of nodes',
    on: local,
    since: '0.38',
  },
  'files/examples': {
    says: 'A new server has the input files that its node types name, and lists them there.',
    basis: 'chosen',
    on: local,
  },
  'files/local-videos': {
    says: 'Video outputs are under the key videos.',
    basis: 'stated',
    on: local,
    carries: ['A46', 'A47'],
  },
  'files/hosted-video': {
    says: 'Hosted video outputs are under the key video.',
    basis: 'stated',
    on: hosted,
    carries: ['A45', 'A47'],
  },
  'files/upload': {
    says: 'POST /upload/image stores the file of the field image in the folder type.',
    basis: 'stated',
    on: both,
    carries: ['A5', 'A79', 'A80'],
  },
  'files/upload-reply': {
    says: 'An upload returns name, subfolder and type, as texts.',
    basis: 'stated',
    on: both,
    carries: ['A55', 'A56', 'A57', 'A83'],
  },
  'files/upload-overwrite': {
    says: 'With overwrite true an upload replaces the file of the same name.',
    basis: 'stated',
    on: local,
    carries: ['A81'],
  },
  'files/upload-overwrite-words': {
    says: 'Only the words true and 1 mean overwrite; any other value does not.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/upload-renamed': {
    says: 'Without overwrite an existing name gets a number, unless the bytes are the same.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/upload-subfolder': {
    says: 'The server stores a local upload in its subfolder, in the input folder if it has no type.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/upload-bad': {
    says: 'An upload without image or to a path outside returns 400, one of an unknown type 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/upload-odd-names': {
    says: 'The server strips leading slashes of a file name; its spaces and subfolder backslashes stay.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/upload-image-text': {
    says: 'An upload whose image is a text instead of a file returns 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/upload-bounds': {
    says: 'An upload that takes all stored uploads, with outputs of them, beyond 512 MiB returns 413.',
    basis: 'chosen',
    on: local,
  },
  'files/upload-text-bytes': {
    says: 'An upload with undecodable bytes in a text field returns 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/upload-boundary': {
    says: 'A multipart upload without a boundary, or with an empty one, returns 500.',
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
  'files/name-returns': {
    says: 'A name that leads out of the input folder and back into it names a file.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/loaded-alpha': {
    says: 'LoadImage returns the colours of a file without alpha, and the inverted alpha as a mask.',
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
    says: 'A loaded file that is not an image fails its node with the absolute path of the file.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, execution',
    on: local,
  },
  'files/loaded-narrow': {
    says: 'Loading a grey, 16-bit, GIF, WebP or true-colour BMP picture with a side below 16 fails.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0 and 0.33.0, execution',
    on: local,
    since: '0.27',
  },
  'files/loaded-by-codec': {
    says: 'A loader of an empty file, a text or a folder fails with an error of PyAV.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0 and 0.33.0, execution',
    on: local,
    since: '0.27',
  },
  'files/loaded-mask': {
    says: 'LoadImageMask returns one channel of a file as a mask, inverted for alpha.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/loaded-mask-size': {
    says: 'The alpha of a file without it is a black mask of the size of the file for LoadImageMask.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
    before: '0.27',
  },
  'files/loaded-mask-small': {
    says: 'The alpha of a file without it is a black mask of 64 x 64 pixels for LoadImageMask too.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, files; ComfyUI 0.33.0',
    on: local,
    since: '0.27',
  },
  'files/hosted-upload-subfolder': {
    says: 'A hosted upload returns its subfolder but is stored without it.',
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
  // In the description `input` is an example of a type and not its default, so this rule follows real servers.
  'files/hosted-upload-type': {
    says: 'A hosted upload without type returns type output; a workflow finds any upload by its name.',
    basis: 'observed',
    source: 'published hosted API, 2026, files',
    on: hosted,
  },
  'files/hosted-upload-limits': {
    says: `Hosted uploads above ${hostedUploadLimits.bytes / 2 ** 20} MB, ${hostedUploadLimits.side} pixels per side or ${hostedUploadLimits.pixels} in total return 400.`,
    basis: 'observed',
    source: 'published hosted API, 2026, files',
    on: hosted,
  },
  'files/hosted-upload-bounds': {
    says: 'A hosted upload that takes those of its account beyond 512 MiB returns 413.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-upload-bad': {
    says: 'A hosted upload without a file, or of an unknown type, returns 400.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-upload-text-bytes': {
    says: 'A hosted upload with undecodable bytes in a text field returns 400.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-output-name': {
    says: 'Hosted outputs are named after their content and have no subfolder.',
    basis: 'observed',
    source: 'published hosted API, 2026, files',
    on: hosted,
  },
  'files/mask': {
    says: 'POST /upload/mask stores an image from a multipart form and replies like an image upload.',
    basis: 'stated',
    on: both,
    carries: ['A5', 'A84', 'A86'],
  },
  'files/mask-original': {
    says: 'original_ref names the uploaded image that the mask belongs to, as JSON text.',
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
    says: 'A mask whose original_ref is not a JSON object with a filename returns 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/mask-lost-original': {
    says: 'A mask whose original does not exist gets the usual reply, but the server does not store it.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/mask-unfit': {
    says: 'A mask that is not an image, or differs in size from its original, returns 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/mask-format': {
    says: 'The server stores a mask as PNG or WebP by its extension; JPEG and no picture return 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, files',
    on: local,
  },
  'files/hosted-mask': {
    says: 'A hosted mask is the original with the alpha channel of the upload, named after its content.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-mask-original': {
    says: 'A hosted mask of an unknown original returns 404, with a malformed reference 400.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-mask-unfit': {
    says: 'A hosted mask that cannot be applied to its original as PNG or WebP returns 400.',
    basis: 'chosen',
    on: hosted,
  },
  'files/hosted-mask-layers': {
    says: 'GET /api/files/mask-layers returns the layers of a mask, and 404 for other files.',
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
