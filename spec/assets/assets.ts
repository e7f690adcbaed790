// Assets: files of the server with a name, tags and metadata, which clients upload, list and look up by their content.
// Only servers of 2026 have them.

import { local, type Endpoints, type Rules, type Schema, observedAt, rulesOf } from '../language.ts'
import {
  anyObject,
  anyOf,
  boolean,
  count,
  list,
  nothing,
  nullable,
  object,
  oneOf,
  optional,
  partial,
  record,
  text,
  textOrNull,
} from '../schema.ts'
import { get, head, post, put, remove } from '../endpoint.ts'

const texts = list(text)
const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
const uuid = { type: 'string', pattern: UUID, volatile: true } as const
/** A moment in ISO form, with microseconds and without a time zone. */
const moment = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{6})?$',
  volatile: true,
} as const

/** The hash of a content: BLAKE3, in lower-case hexadecimal digits. */
export const contentHash = { type: 'string', pattern: '^blake3:[0-9a-f]{64}$' } as const

/** A file with its name, tags and metadata. Members without a value are absent. */
export const asset = object({
  id: uuid,
  name: text,
  hash: optional(contentHash),
  asset_hash: optional(contentHash),
  loader_path: optional(text),
  display_name: optional(text),
  size: optional(count),
  mime_type: optional(text),
  tags: texts,
  preview_url: optional(text),
  preview_id: optional(text),
  user_metadata: anyObject,
  metadata: optional(anyObject),
  is_immutable: optional(boolean),
  job_id: optional(text),
  prompt_id: optional(text),
  created_at: moment,
  updated_at: moment,
  last_access_time: optional(moment),
})

/** An asset that a request has created, or found. */
export const createdAsset = {
  ...asset,
  properties: { ...asset.properties, created_new: boolean },
  required: [...asset.required, 'created_new'],
} as const satisfies Schema

/** The page of a list. */
export const assetPage = object({
  assets: list(asset),
  total: count,
  has_more: boolean,
  next_cursor: optional(text),
})

/** A refusal: `code` is for programs, `message` for people. */
export const assetError = object({
  error: object({ code: text, message: text, details: anyObject }),
})

export const tagPage = object({
  tags: list(object({ name: text, count })),
  total: count,
  has_more: boolean,
})

/** How many of the chosen assets have each tag. */
export const tagCounts = object({ tag_counts: record(count) })

export const addedTags = object({ added: texts, already_present: texts, total_tags: texts })

export const removedTags = object({
  removed: texts,
  not_present: texts,
  total_tags: texts,
  protected: optional(texts),
})

/** What a scan of the folders has done. */
export const scanProgress = object({ scanned: count, total: count, created: count, skipped: count })

const status = text

export const scanReply = object({
  status,
  progress: optional(scanProgress),
  errors: optional(texts),
})

export const scanState = object({
  state: oneOf('IDLE', 'RUNNING', 'PAUSED', 'CANCELLING'),
  progress: anyOf(scanProgress, nothing),
  errors: texts,
})

export const pruneReply = object({ status, marked: count })

/** The multipart form of an upload. `tags` is a list with commas, a JSON array, or repeated; `user_metadata` JSON text. */
export const assetForm = partial({
  file: { type: 'string', contentMediaType: 'application/octet-stream' },
  tags: { type: 'string', examples: ['input,portrait'] },
  name: { type: 'string', maxLength: 512 },
  user_metadata: { type: 'string', contentMediaType: 'application/json' },
  hash: text,
  mime_type: text,
  preview_id: text,
})

export const fromHashRequest = object({
  hash: text,
  name: optional(textOrNull),
  tags: optional(texts),
  user_metadata: optional(anyObject),
  mime_type: optional(textOrNull),
  preview_id: optional(textOrNull),
})

export const assetChange = partial({
  name: textOrNull,
  user_metadata: nullable(anyObject),
  preview_id: textOrNull,
})

export const tagsRequest = object({ tags: { ...texts, minItems: 1 } })

export const scanRequest = partial({ roots: list(oneOf('models', 'input', 'output')) })

/** The tags that servers before 0.38 know from the start. */
export const firstTags = [
  'models',
  'input',
  'output',
  'configs',
  'checkpoints',
  'loras',
  'vae',
  'text_encoders',
  'diffusion_models',
  'clip_vision',
  'style_models',
  'embeddings',
  'diffusers',
  'vae_approx',
  'controlnet',
  'gligen',
  'upscale_models',
  'hypernetworks',
  'photomaker',
  'classifiers',
  'encoder',
  'decoder',
  'missing',
  'rescan',
] as const

/** The folders of inputs whose files have a tag of that name. */
export const taggedFolders = ['3d', 'painter', 'pasted', 'threed', 'webcam'] as const

/** What assets can be sorted by. */
export const sortFields = ['name', 'created_at', 'updated_at', 'size', 'last_access_time'] as const

const filters = {
  include_tags: text,
  exclude_tags: text,
  tags_all: text,
  tags_any: text,
  tags_none: text,
  name_contains: text,
} as const
const sinceAssets = { since: '0.27', unaliased: true } as const
/** The refusals of every path. */
const common = { 503: assetError } as const
const ofOne = { 404: assetError, ...common } as const
const idPart = { id: { type: 'string', pattern: UUID } } as const

export const endpoints = {
  listAssets: get('/api/assets', local, {
    ...sinceAssets,
    does: 'Lists assets.',
    query: {
      ...filters,
      hash: text,
      limit: { type: 'integer', minimum: 1, maximum: 500 },
      offset: count,
      after: text,
      sort: { enum: sortFields },
      order: oneOf('asc', 'desc'),
    },
    replies: { 200: assetPage, 400: assetError, ...common },
    // A cursor must be one that the server sent for the same order.
    rejectsValid: local,
  }),
  uploadAsset: post('/api/assets', local, {
    ...sinceAssets,
    does: 'Stores a file as an asset.',
    body: 'multipart',
    form: assetForm,
    replies: {
      200: createdAsset,
      201: createdAsset,
      400: assetError,
      404: assetError,
      413: 'text',
      415: assetError,
      500: 'text',
      ...common,
    },
    // New content needs a tag for its folder.
    rejectsValid: local,
  }),
  assetFromHash: post('/api/assets/from-hash', local, {
    ...sinceAssets,
    does: 'Creates an asset from content that the server has.',
    body: fromHashRequest,
    replies: { 201: createdAsset, 400: assetError, 413: 'text', ...ofOne },
    rejectsValid: local,
    acceptsInvalid: local,
  }),
  assetByHash: head('/api/assets/hash/{hash}', local, {
    ...sinceAssets,
    does: 'Reports whether the server has a content.',
    replies: { 200: 'empty', 400: assetError, 404: 'empty', ...common },
    rejectsValid: local,
  }),
  assetTagCounts: get('/api/assets/tags/refine', local, {
    ...sinceAssets,
    does: 'Counts the tags of the chosen assets.',
    query: { ...filters, limit: { type: 'integer', minimum: 1, maximum: 1000 } },
    replies: { 200: tagCounts, 400: assetError, ...common },
    rejectsValid: local,
  }),
  scanAssets: post('/api/assets/seed', local, {
    ...sinceAssets,
    does: 'Makes assets of the files in the folders.',
    query: { wait: text },
    body: scanRequest,
    bodyIsOptional: true,
    replies: { 200: scanReply, 202: scanReply, 400: assetError, 409: scanReply, ...common },
    acceptsInvalid: local,
    rejectsValid: local,
  }),
  assetScan: get('/api/assets/seed/status', local, {
    ...sinceAssets,
    does: 'Returns the state of the scan.',
    replies: { 200: scanState, ...common },
  }),
  cancelAssetScan: post('/api/assets/seed/cancel', local, {
    ...sinceAssets,
    does: 'Cancels the scan.',
    replies: { 200: scanReply, ...common },
  }),
  pruneAssets: post('/api/assets/prune', local, {
    ...sinceAssets,
    does: 'Marks assets whose files are outside all folders.',
    replies: { 200: pruneReply, 409: pruneReply, ...common },
  }),
  readAsset: get('/api/assets/{id}', local, {
    ...sinceAssets,
    parts: idPart,
    does: 'Returns an asset.',
    replies: { 200: asset, ...ofOne },
  }),
  changeAsset: put('/api/assets/{id}', local, {
    ...sinceAssets,
    parts: idPart,
    does: 'Changes the name, the metadata or the preview of an asset.',
    body: assetChange,
    replies: { 200: asset, 400: assetError, 413: 'text', ...ofOne },
    // A change needs a member.
    rejectsValid: local,
  }),
  deleteAsset: remove('/api/assets/{id}', local, {
    ...sinceAssets,
    parts: idPart,
    does: 'Deletes an asset; its content stays.',
    replies: { 204: 'empty', ...ofOne },
  }),
  assetContent: get('/api/assets/{id}/content', local, {
    ...sinceAssets,
    parts: idPart,
    does: 'Returns the file of an asset.',
    query: { disposition: oneOf('attachment', 'inline') },
    replies: { 200: 'bytes', ...ofOne },
    acceptsInvalid: local,
  }),
  addAssetTags: post('/api/assets/{id}/tags', local, {
    ...sinceAssets,
    parts: idPart,
    does: 'Adds tags to an asset.',
    body: tagsRequest,
    replies: { 200: addedTags, 400: assetError, 413: 'text', ...ofOne },
    rejectsValid: local,
  }),
  removeAssetTags: remove('/api/assets/{id}/tags', local, {
    ...sinceAssets,
    parts: idPart,
    does: 'Removes tags from an asset.',
    body: tagsRequest,
    replies: { 200: removedTags, 400: assetError, ...ofOne },
    rejectsValid: local,
  }),
  listTags: get('/api/tags', local, {
    ...sinceAssets,
    does: 'Lists the tags of all assets.',
    query: {
      prefix: { type: 'string', maxLength: 256 },
      limit: { type: 'integer', minimum: 1, maximum: 1000 },
      offset: { type: 'integer', minimum: 0, maximum: 10_000_000 },
      order: oneOf('count_desc', 'name_asc'),
      include_zero: oneOf('true', 'false'),
    },
    replies: { 200: tagPage, 400: assetError, ...common },
    acceptsInvalid: local,
    rejectsValid: local,
  }),
} as const satisfies Endpoints

const source = 'ComfyUI 0.27.0, assets'
const measured = observedAt(source, { since: '0.27' })
/** No longer so in the newest servers. */
const outdated = observedAt(source, { since: '0.27', before: '0.38' })
/** So in the first servers with assets alone. */
const first = observedAt(source, { since: '0.27', before: '0.33' })
const measured33 = observedAt('ComfyUI 0.33.0, assets', { since: '0.33' })
const read = observedAt('ComfyUI 0.38.1, assets, as read in its source', { since: '0.38' })
const chosen = rulesOf({ basis: 'chosen', since: '0.27' })

export const rules = {
  ...measured.local({
    'assets/off': 'Without assets every path of assets returns 503 with the code SERVICE_DISABLED.',
    'assets/only-below-api': 'The paths of assets exist below /api alone.',
    'assets/upload':
      'POST /api/assets stores the file of a form, and returns 201 with its asset and created_new.',
  }),
  ...outdated.local({
    'assets/upload-name':
      'An upload is stored under its hash, with the extension of its file name.',
    'assets/upload-again':
      'An upload of known content returns 200 with created_new false, and an asset without a file.',
  }),
  ...measured.local({
    'assets/upload-tags':
      'The tags of an upload are a list with commas, a JSON array or several fields.',
    'assets/upload-tagged':
      'The server adds the tag uploaded to those of an upload, and lists tags sorted.',
    'assets/upload-role': 'New content needs tags, with exactly one of input, output and models.',
    'assets/upload-model':
      'An uploaded model needs one tag model_type:<folder>; the folder then lists it.',
    'assets/upload-refusals':
      'An upload returns 415 without a form, 400 without a file, with an empty one or with an id.',
  }),
  ...outdated.local({
    'assets/upload-hash':
      'The hash in an upload is that of its file, or names known content instead of a file.',
  }),
  ...measured.local({
    'assets/upload-fields':
      'name, mime_type, user_metadata and preview_id of a form describe the asset.',
    'assets/upload-bad-fields':
      'An upload with a name of over 512 characters, or metadata that is not an object, returns 400.',
    'assets/fields': 'An asset names the paths, size, type, tags, metadata and times of its file.',
  }),
  ...outdated.local({
    'assets/filename':
      'user_metadata.filename is the loader_path of an asset with a file, whatever a client stores there.',
    'assets/older-members': 'An asset repeats its hash as asset_hash, and has is_immutable.',
  }),
  ...read.local({ 'assets/newer-members': 'An asset has neither asset_hash nor is_immutable.' }),
  ...measured.local({
    'assets/times': 'The times of an asset are UTC with microseconds, without a time zone.',
  }),
  ...measured33.local({
    'assets/preview-url':
      'preview_url of images, videos, sounds and texts leads to the file; models have none.',
  }),
  ...first.local({
    'assets/preview-of-metadata':
      'preview_url leads to user_metadata.filename below the folder of the tag input or output.',
  }),
  ...measured33.local({
    'assets/preview-of-other':
      'With preview_id the preview_url of an asset is that of the other asset.',
  }),
  ...first.local({
    'assets/preview-of-upload':
      'With preview_id an asset has no preview_url if a client has uploaded the other asset.',
  }),
  ...measured.local({
    'assets/read': 'GET /api/assets/<id> returns the asset, whatever the case of the id.',
    'assets/unknown':
      'Each path of an asset that does not exist returns 404 with the code ASSET_NOT_FOUND.',
    'assets/no-uuid': 'A path with anything but a UUID as the id is unknown.',
    'assets/content':
      'GET /api/assets/<id>/content returns the bytes with their type, by default as a download.',
    'assets/content-active':
      'What a browser would run as a page is always a download of unknown type.',
  }),
  ...measured33.local({
    'assets/content-as-image':
      'The content of an SVG image has its type where a page asks for an image.',
  }),
  ...measured.local({
    'assets/list': 'GET /api/assets lists the newest 20 assets, with their total and has_more.',
    'assets/list-pages': 'limit and offset choose the page of a list.',
    'assets/list-sort': 'sort and order choose the order of a list.',
    'assets/list-tags':
      'A list contains assets with all include_tags, and without any of exclude_tags.',
    'assets/list-name':
      'A list with name_contains contains assets whose name has that text, in any case.',
  }),
  ...outdated.local({
    'assets/list-metadata':
      'A list with metadata_filter contains assets whose metadata has these members.',
  }),
  ...first.local({ 'assets/list-ignores': 'Lists ignore tags_all, tags_any and tags_none.' }),
  ...outdated.local({ 'assets/list-ignores-hash': 'Lists ignore the filter hash.' }),
  ...measured.local({
    'assets/list-refusals':
      'A list returns 400 with the code INVALID_QUERY, and names each parameter that does not fit.',
  }),
  ...measured33.local({
    'assets/list-newer-tags':
      'A list contains assets with all tags_all, any of tags_any and none of tags_none.',
  }),
  ...read.local({ 'assets/list-hash': 'A list with hash contains the assets of that content.' }),
  ...measured33.local({
    'assets/list-tag-refusals':
      'Contradicting tag filters return 400 with the code INVALID_TAG_FILTER.',
  }),
  ...read.local({
    'assets/list-no-metadata':
      'A list with metadata_filter returns 400 with the code UNSUPPORTED_PARAM.',
  }),
  ...measured.local({
    'assets/cursor':
      'A list that goes on has next_cursor; with it as after, the next page begins there.',
    'assets/cursor-refusals':
      'A cursor of another order, or an unreadable one, returns 400 with the code INVALID_CURSOR.',
  }),
  ...outdated.local({
    'assets/by-hash':
      'HEAD /api/assets/hash/<hash> returns 200 for known content, else 404, and 400 for no hash.',
  }),
  ...measured.local({
    'assets/by-no-hash': 'A hash that is not blake3: and 64 hexadecimal digits returns 400.',
  }),
  ...outdated.local({
    'assets/from-hash':
      'POST /api/assets/from-hash returns 201 with an asset of known content, else 404.',
  }),
  ...measured.local({
    'assets/from-hash-refusals':
      'A body of from-hash that does not fit returns 400 with INVALID_BODY or INVALID_JSON.',
  }),
  ...read.local({
    'assets/hashing':
      'Only with asset hashing do uploads have a hash, which names their file and their content.',
    'assets/hashing-again':
      'With asset hashing, known content under another name is a new asset of the same file.',
    'assets/no-hashing':
      'Without asset hashing an upload keeps its name, and from-hash returns FEATURE_DISABLED.',
  }),
  ...measured.local({
    'assets/change':
      'PUT /api/assets/<id> changes name, user_metadata and preview_id, and the time of the update.',
    'assets/change-refusals':
      'A change without a member or with one of a wrong type returns 400 with INVALID_BODY.',
    'assets/delete': 'DELETE /api/assets/<id> returns 204 and removes the asset, but not its file.',
    'assets/add-tags':
      'POST of tags returns which the asset got, which it had, and which it has then.',
    'assets/remove-tags':
      'DELETE of tags returns which the asset lost, which it lacked, and which it has then.',
    'assets/tag-refusals':
      'Tags that are not a list of one or more texts return 400 with INVALID_BODY.',
  }),
  ...read.local({
    'assets/system-tags':
      'Clients cannot set the tag missing: 400 with the code SYSTEM_TAG_FORBIDDEN.',
  }),
  ...measured.local({
    'assets/tags': 'GET /api/tags counts the assets of each tag, the most frequent first.',
    'assets/tags-query':
      'prefix, order, include_zero, limit and offset choose the tags of the list.',
  }),
  ...outdated.local({
    'assets/first-tags':
      'The list of tags contains 24 tags from the start, with the count 0 if no asset has them.',
  }),
  ...measured.local({
    'assets/tag-counts':
      'GET /api/assets/tags/refine counts the tags of the assets that a list would contain.',
    'assets/scanned':
      'Models, inputs and outputs that the server had before are assets, tagged by their folder.',
    'assets/scan':
      'POST /api/assets/seed starts a scan with 202, and with wait returns what it has done.',
    'assets/scan-roots':
      'A scan covers the roots models, input and output, or those of its body; others return 400.',
    'assets/scan-state':
      'Without a running scan its state is IDLE, a cancel reports idle, and prune marks nothing twice.',
  }),
  ...first.local({
    'assets/prune-temporary':
      'prune marks the assets of temporary files, which no list contains any longer.',
  }),
  ...measured.local({
    'assets/scan-messages':
      'A scan sends assets.seed messages to every socket, the last of them completed; long ones progress.',
    'assets/of-upload': 'POST /upload/image and /upload/mask also return the asset of the file.',
  }),
  ...outdated.local({
    'assets/upload-folders':
      'A file right in input/3d, painter, pasted, threed or webcam has a tag of that name.',
    'assets/upload-temporary':
      'The asset of a file that is uploaded as a temporary one has the tags input and temp.',
  }),
  ...measured.local({
    'assets/of-run':
      'A file in an output has the id of its asset, and the asset the id of its run once that is over.',
  }),
  ...outdated.local({
    'assets/output-tags': 'The asset of an output has the tags of its folder and uploaded.',
  }),
  ...read.local({
    'assets/output-preview': 'A picture in an output is its own preview: its preview_id is its id.',
  }),
  ...outdated.local({
    'assets/view-hash': 'GET /view returns the file whose hash is the filename, or 404.',
  }),
  ...chosen.local({
    'assets/upload-broken':
      'A multipart body that the server cannot read returns 500, and stores nothing.',
    'assets/painted':
      'A picture of a run is made when it is requested: its asset has neither size nor hash.',
    'assets/bounds':
      'Names, tags and metadata beyond 64 MiB in all return 413; the latest 10,000 assets are kept.',
  }),
} as const satisfies Rules
