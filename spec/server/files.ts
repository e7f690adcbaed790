// Files: viewing them, uploading images and masks, and the names of output files.

import {
  both,
  hosted,
  local,
  type Endpoints,
  type Rules,
  type Schema,
  chosen,
  stated,
  observedIn,
  observedAt,
  rulesOf,
} from '../language.ts'
import { hostedError } from './errors.ts'
import { any, list, name, object, optional, text, textOrNull, volatile } from '../schema.ts'
import { get, post } from '../endpoint.ts'

export const folderTypes = ['output', 'input', 'temp'] as const

/** A file in the outputs of a node. */
export const fileEntry = object({
  filename: text,
  subfolder: text,
  type: { enum: folderTypes },
  /** The asset of the file, on a server with assets. */
  id: optional(volatile(text)),
})

const fileEntries = list(fileEntry)

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
  additionalProperties: list(any),
} as const satisfies Schema

export const uploadReply = object({ name: text, subfolder: text, type: text })

/** The form field `original_ref` of a mask upload, as JSON text: the image that the mask belongs to. */
export const originalRef = object({
  filename: text,
  subfolder: optional(text),
  type: optional(text),
})

const formFields = {
  image: { type: 'string', contentMediaType: 'application/octet-stream' },
  type: optional({ enum: folderTypes }),
  subfolder: optional(text),
  overwrite: optional(text),
} as const

/** The multipart form of an upload: `image` is the file, `overwrite` is true as "true" or "1". */
export const uploadForm = object(formFields)

/** The same for a mask; `original_ref` is JSON text. */
export const maskForm = object({
  ...formFields,
  original_ref: {
    type: 'string',
    contentMediaType: 'application/json',
    contentSchema: originalRef,
    examples: ['{"filename": "ComfyUI_00001_.png"}'],
  },
})

/** The files that belong to a mask; null for a layer that does not exist. */
export const maskLayers = object({
  mask: textOrNull,
  paint: textOrNull,
  painted: textOrNull,
  painted_masked: textOrNull,
})

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
  view: get('/view', both, {
    does: 'Returns a file; on the hosted server a redirect to it.',
    requiredQuery: ['filename'],
    query: {
      filename: { type: 'string', minLength: 1, examples: ['example.png'] },
      subfolder: text,
      type: { enum: folderTypes, examples: ['input'] },
      preview: text,
      channel: text,
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
  }),
  uploadImage: post('/upload/image', both, {
    does: 'Stores a file, by default among the inputs.',
    body: 'multipart',
    form: uploadForm,
    replies: { 200: uploadReply, 400: 'empty', 413: 'text', 500: 'text' },
    hostedReplies: hostedUploadReplies,
    acceptsInvalid: both,
  }),
  uploadMask: post('/upload/mask', both, {
    does: 'Stores an image again with the alpha channel of the uploaded mask.',
    body: 'multipart',
    form: maskForm,
    replies: { 200: uploadReply, 400: 'empty', 413: 'text', 500: 'text' },
    hostedReplies: { ...hostedUploadReplies, 404: hostedError },
    // A mask must be an image that fits its original.
    rejectsValid: both,
    acceptsInvalid: both,
  }),
  maskLayers: get('/files/mask-layers', hosted, {
    does: 'Returns the names of the files that belong to a mask.',
    query: { filename: name },
    requiredQuery: ['filename'],
    replies: { 200: maskLayers, 400: hostedError, 404: hostedError },
  }),
} as const satisfies Endpoints

const observed = observedIn('files')

export const rules = {
  ...stated.local({
    'files/view':
      'GET /view returns the bytes of the file that filename, subfolder and type name. [A4 A21 A75 A76 A77]',
  }),
  ...observed.before27({
    'files/view-headers': 'A viewed file has its media type, and its name in Content-Disposition.',
  }),
  ...observed.since27({
    'files/view-guarded':
      'A viewed file has its media type and name, and no type is guessed or run as a page.',
  }),
  ...observedAt('ComfyUI 0.33.0, files', { since: '0.33' }).local({
    'files/view-as-image':
      'An SVG image has its type where a page asks for an image; nobody keeps it.',
  }),
  ...observed.local({
    'files/view-annotated':
      'The server looks up a filename that ends in a folder name in brackets in that folder.',
    'files/view-missing': 'GET /view of a missing file, or without filename, returns 404.',
    'files/view-bad-name':
      'GET /view returns 400 for an invalid filename or type, 403 for a subfolder outside.',
    'files/view-converted': 'With preview or channel GET /view returns a converted image.',
    'files/view-undecodable': 'Converting a file that is not an image, or is damaged, returns 500.',
    'files/view-conditional':
      'A viewed file has ETag and Last-Modified, and GET /view supports conditional requests.',
    'files/view-range':
      'A Range of a viewed file returns 206 with that part, or 416 if it cannot be satisfied.',
  }),
  ...observedAt('ComfyUI 0.3.64, HTTP layer').local({
    'files/range-refused': 'A 416 to a Range has an empty body in chunks, without a length.',
  }),
  ...stated.hosted({
    'files/hosted-view': 'A hosted GET /view returns 302 with a signed URL in Location. [A4 A22]',
    'files/hosted-signed-url':
      'The signed URL is on another host and returns the bytes without the key. [A111]',
  }),
  ...observed.hosted({
    'files/hosted-view-missing':
      'A hosted view of a missing file, or of a file of another account, returns 404.',
    'files/hosted-view-flat':
      'A hosted view finds a file by its filename alone and ignores subfolder and type.',
    'files/hosted-view-only': 'The hosted server redirects only requests for a view.',
  }),
  ...observed.both({
    'files/entry': 'An output describes a file by filename, subfolder and type.',
  }),
  ...observed.local({
    'files/saved-name':
      'A saved file is named by its prefix, which can include a subfolder, and a counter.',
    'files/prefix-restarts':
      'A prefix that ends in a slash, and an empty one, counts from 1 in each run and replaces files.',
    'files/prefix-outside':
      'A prefix that leaves the output folder fails its node with a text that contains three paths.',
    'files/prefix-odd':
      'The last part of a prefix can be any name, such as a dot, two dots or a backslash.',
    'files/prefix-surrogate':
      'A prefix with half of a surrogate pair fails the run with UnicodeEncodeError.',
    'files/batch-number-kept':
      'Names of latents, videos, meshes and animations keep %batch_num% unreplaced.',
    'files/temp-letters':
      'After a run of a graph without it, a preview node has new letters and restarts at count 1.',
    'files/preview-is-temp': 'Preview nodes save files in the folder temp.',
    'files/workflow-in-png':
      'A saved PNG contains the workflow and the members of extra_pnginfo as text.',
  }),
  ...observedAt('ComfyUI 0.3.64 and 0.27.0, execution').local({
    'files/odd-metadata':
      'A saving node fails where extra_pnginfo is a text, a number, a boolean or a filled array.',
  }),
  ...observed.local({
    'files/workflow-in-latent':
      'A saved latent contains the workflow and the members of extra_pnginfo in __metadata__.',
    'files/alpha-kept':
      'A saved picture of four channels keeps its alpha channel, even if all pixels are opaque.',
    'files/is-changed':
      'The workflow in a saved PNG contains the SHA-256 of each loaded file as is_changed.',
  }),
  ...observed.before27({
    'files/animated':
      'The output of an animation has animated true; that of a single-frame WebP file has false.',
  }),
  ...observed.since27({
    'files/one-picture-not-animated':
      'The output of an animation has animated true; that of one picture has no animated.',
    'files/mask-preview':
      'The output of MaskPreview has animated false, and its pictures have no metadata.',
  }),
  ...observed.local({
    'files/animation-frames':
      'An animated PNG or WebP file shows each image of the batch for 1/fps seconds.',
    'files/animation-merged':
      'An animation merges consecutive equal images; a single image becomes a still.',
    'files/animation-text':
      'Animated PNG files hold the workflow in comf chunks after the pixels, WebP files in EXIF.',
    'files/loss-graph':
      'LossGraphNode saves a PNG in the folder temp, named after its prefix and the time.',
  }),
  ...observed.before27({
    'files/preview-3d':
      'Previews of 3D models return the model file and the camera, or null, as result.',
  }),
  ...observedAt('ComfyUI 0.27.0, outputs of nodes', { since: '0.27' }).local({
    'files/preview-3d-parts':
      'Previews of 3D models return the model file, the camera and a background, or null, as result.',
  }),
  ...observed.before27({
    'files/audio-underscore':
      'The names of saved audio files end in their number and an underscore.',
  }),
  ...observedAt('ComfyUI 0.27.0, outputs of nodes', { since: '0.27' }).local({
    'files/audio-names':
      'The names of saved audio files end in their number, without an underscore.',
  }),
  ...observedAt('ComfyUI 0.38.1, read: outputs of nodes', { since: '0.38' }).local({
    'files/output-metadata':
      'The entry of a picture has its kind, width and height as metadata, that of a video its kind.',
  }),
  ...stated.local({ 'files/local-videos': 'Video outputs are under the key videos. [A46 A47]' }),
  ...stated.hosted({
    'files/hosted-video': 'Hosted video outputs are under the key video. [A45 A47]',
  }),
  ...stated.both({
    'files/upload':
      'POST /upload/image stores the file of the field image in the folder type. [A5 A79 A80]',
    'files/upload-reply': 'An upload returns name, subfolder and type, as texts. [A55 A56 A57 A83]',
  }),
  ...stated.local({
    'files/upload-overwrite':
      'With overwrite true an upload replaces the file of the same name. [A81]',
  }),
  ...observed.local({
    'files/upload-overwrite-words':
      'Only the words true and 1 mean overwrite; any other value does not.',
    'files/upload-renamed':
      'Without overwrite an existing name gets a number, unless the bytes are the same.',
    'files/upload-subfolder':
      'The server stores a local upload in its subfolder, in the input folder if it has no type.',
    'files/upload-bad':
      'An upload without image or to a path outside returns 400, one of an unknown type 500.',
    'files/upload-odd-names':
      'The server strips leading slashes of a file name; its spaces and subfolder backslashes stay.',
    'files/upload-image-text': 'An upload whose image is a text instead of a file returns 500.',
    'files/upload-text-bytes': 'An upload with undecodable bytes in a text field returns 500.',
    'files/upload-boundary':
      'A multipart upload without a boundary, or with an empty one, returns 500.',
  }),
  ...observed.both({
    'files/upload-is-usable': 'A workflow loads an uploaded image by the name in the reply.',
  }),
  ...observed.local({
    'files/name-returns':
      'A name that leads out of the input folder and back into it names a file.',
    'files/loaded-alpha':
      'LoadImage returns the colours of a file without alpha, and the inverted alpha as a mask.',
    'files/loaded-without-alpha':
      'The mask of a file without an alpha channel is black, 64 pixels wide and high.',
  }),
  ...observedAt('ComfyUI 0.3.64, execution').local({
    'files/loaded-broken':
      'A loaded file that is not an image fails its node with the absolute path of the file.',
  }),
  ...observedAt('ComfyUI 0.27.0 and 0.33.0, execution', { since: '0.27' }).local({
    'files/loaded-narrow':
      'Loading a grey, 16-bit, GIF, WebP or true-colour BMP picture with a side below 16 fails.',
    'files/loaded-by-codec':
      'A loader of an empty file, a text or a folder fails with an error of PyAV.',
  }),
  ...observed.local({
    'files/loaded-mask':
      'LoadImageMask returns one channel of a file as a mask, inverted for alpha.',
  }),
  ...observed.before27({
    'files/loaded-mask-size':
      'The alpha of a file without it is a black mask of the size of the file for LoadImageMask.',
  }),
  ...observedAt('ComfyUI 0.27.0, files; ComfyUI 0.33.0', { since: '0.27' }).local({
    'files/loaded-mask-small':
      'The alpha of a file without it is a black mask of 64 x 64 pixels for LoadImageMask too.',
  }),
  ...stated.hosted({
    'files/hosted-upload-subfolder':
      'A hosted upload returns its subfolder but is stored without it. [A82]',
  }),
  ...observed.hosted({
    'files/hosted-upload-name': 'A hosted upload is named after its content.',
    'files/hosted-upload-same':
      'Identical bytes are one hosted file: overwrite and a second upload change nothing.',
    // In the description `input` is an example of a type and not its default, so this rule follows real servers.
    'files/hosted-upload-type':
      'A hosted upload without type returns type output; a workflow finds any upload by its name.',
    'files/hosted-upload-limits': `Hosted uploads above ${hostedUploadLimits.bytes / 2 ** 20} MB, ${hostedUploadLimits.side} pixels per side or ${hostedUploadLimits.pixels} in total return 400.`,
    'files/hosted-output-name':
      'Hosted outputs are named after their content and have no subfolder.',
  }),
  ...stated.both({
    'files/mask':
      'POST /upload/mask stores an image from a multipart form and replies like an image upload. [A5 A84 A86]',
    'files/mask-original':
      'original_ref names the uploaded image that the mask belongs to, as JSON text. [A85]',
  }),
  ...observed.local({
    'files/mask-alpha': 'A stored mask is the original with the alpha channel of the upload.',
    'files/mask-bad-original':
      'A mask whose original_ref is not a JSON object with a filename returns 500.',
    'files/mask-lost-original':
      'A mask whose original does not exist gets the usual reply, but the server does not store it.',
    'files/mask-unfit':
      'A mask that is not an image, or differs in size from its original, returns 500.',
    'files/mask-format':
      'The server stores a mask as PNG or WebP by its extension; JPEG and no picture return 500.',
  }),
  ...observed.hosted({
    'files/hosted-mask-layers':
      'GET /api/files/mask-layers returns the layers of a mask, and 404 for other files.',
  }),
  ...observed.local({
    'files/mask-text': 'A mask that is stored as PNG keeps the texts of its original.',
  }),
  ...chosen.local({
    'files/view-cut':
      'Converting an image that lacks its last bytes, or is too large, returns 500 too.',
    'files/view-bombs':
      'For a conversion the server unpacks no more bytes of a PNG file than its header announces.',
    'files/large-pictures':
      'While a picture of more than 2,000,000 pixels is encoded, the server answers other requests.',
    'files/view-left':
      'The server stops making a large picture when the last client that waits for it disconnects.',
    'files/view-webp':
      'A WebP conversion is lossless at any quality; a quality above 100 returns 500.',
  }),
  ...chosen.hosted({
    'files/hosted-view-bad':
      'A hosted view without filename, or with an unknown type, returns 400.',
    'files/hosted-link-host':
      'A signed link names 127.0.0.1, or localhost if the request names 127.0.0.1.',
    'files/hosted-link-base':
      'A server that is configured with a base address for signed links begins them with it.',
    'files/hosted-link-signed-host':
      'A signed link works only at the host that it names; another Host returns 403.',
    'files/hosted-link-query':
      'A signed link carries algorithm, date, lifetime and signature under X-Goog- names.',
    'files/hosted-link-file':
      'A signed link answers HEAD, Range and conditional requests like a local view.',
    'files/hosted-link-expiry':
      'A signed link works for an hour of server time, then returns 400 ExpiredToken.',
    'files/hosted-link-tampered':
      'A signed link with any change returns 403 SignatureDoesNotMatch.',
    'files/hosted-link-account': 'A signature is valid for one file of one account.',
    'files/hosted-link-leak':
      'A signed link with a key or token in a header works, and the journal reports a leak.',
    'files/hosted-link-leak-address':
      'A known key of 8 characters or more in the address of a signed link is reported as a leak too.',
    'files/hosted-link-strict':
      'A strict server returns 403 for a signed link with a key or token in a header.',
    'files/hosted-link-cors':
      'Pages of every origin can read the replies to signed links, and OPTIONS is supported.',
    'files/hosted-link-method':
      'A signed link supports GET, HEAD and OPTIONS, and returns 405 for other methods.',
  }),
  ...chosen.local({
    'files/is-changed-of-own':
      'For an image that the server painted, is_changed is a text of that form for its content.',
  }),
  ...chosen.both({
    'files/samples': 'Meshes and drawings are a fixed small valid sample per format.',
    'files/videos':
      'A video shows the pictures that it was made of one after the other, at the rate of its node.',
    'files/video-blocks':
      'Frames of a video are flat blocks of 16 by 16 pixels, H.264 in MP4 files, VP8 in WebM files.',
    'files/video-sound': 'A video that was made with a sound has a silent track of its length.',
    'files/video-text':
      'A video contains the workflow and the members of extra_pnginfo as metadata.',
    'files/sounds':
      'A saved sound has the length, rate and channels of its input: FLAC its samples, others silence.',
    'files/sound-text':
      'A saved sound contains the workflow and the members of extra_pnginfo as metadata.',
    'files/sounds-bounded': 'A saved sound ends after 33,554,432 samples of all its channels.',
  }),
  ...chosen.local({
    'files/video-bounded': 'A video repeats its last frame once 1,048,576 blocks are painted.',
    'files/animation-webp':
      'The frames of an animated WebP file are lossless, whatever its node requests.',
    'files/animation-pixels':
      'An animation ends before its frames hold more than 16,777,216 pixels.',
  }),
  ...rulesOf({ basis: 'chosen', since: '0.27' }).local({
    'files/audio-counts': 'The next audio file of a prefix has the next number.',
  }),
  ...chosen.local({
    'files/examples':
      'A new server has the input files that its node types name, and lists them there.',
    'files/upload-bounds':
      'An upload that takes all stored uploads, with outputs of them, beyond 512 MiB returns 413.',
  }),
  ...chosen.hosted({
    'files/hosted-upload-bounds':
      'A hosted upload that takes those of its account beyond 512 MiB returns 413.',
    'files/hosted-upload-bad':
      'A hosted upload without a file, or of an unknown type, returns 400.',
    'files/hosted-upload-text-bytes':
      'A hosted upload with undecodable bytes in a text field returns 400.',
    'files/hosted-mask':
      'A hosted mask is the original with the alpha channel of the upload, named after its content.',
    'files/hosted-mask-original':
      'A hosted mask of an unknown original returns 404, with a malformed reference 400.',
    'files/hosted-mask-unfit':
      'A hosted mask that cannot be applied to its original as PNG or WebP returns 400.',
  }),
} as const satisfies Rules
