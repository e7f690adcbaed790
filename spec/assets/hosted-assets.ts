// Assets of a hosted account: its uploads, what its runs have saved, and the models that all accounts share. Local servers have
// theirs in assets.ts.

import { hosted, type Endpoints, type Rules, type Schema, chosen, observedAt } from '../language.ts'
import {
  anyObject,
  boolean,
  count,
  list,
  nullable,
  object,
  oneOf,
  optional,
  partial,
  text,
  textOrNull,
} from '../schema.ts'
import { get, head, post, put, remove } from '../endpoint.ts'
import { hostedError } from '../server/errors.ts'
import { time } from '../v2/shapes.ts'
import { sortFields, tagCounts, tagPage } from './assets.ts'

const texts = list(text)
const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
const uuid = { type: 'string', pattern: UUID, volatile: true } as const
const hash = { type: 'string', pattern: '^blake3:[0-9a-f]{64}$' } as const

/** A file with its name, tags and metadata. Members without a value are absent or null. */
export const hostedAsset = object({
  id: uuid,
  name: text,
  hash: optional(nullable(hash)),
  loader_path: optional(textOrNull),
  display_name: optional(textOrNull),
  file_path: optional(textOrNull),
  size: optional(count),
  mime_type: optional(textOrNull),
  tags: optional(texts),
  preview_url: optional(textOrNull),
  preview_id: optional(textOrNull),
  user_metadata: optional(anyObject),
  metadata: optional(anyObject),
  is_immutable: optional(boolean),
  job_id: optional(textOrNull),
  created_at: time,
  updated_at: time,
  last_access_time: optional(time),
})

/** An asset that a request has created, or found. */
export const hostedCreated = {
  ...hostedAsset,
  properties: { ...hostedAsset.properties, created_new: boolean },
  required: [...hostedAsset.required, 'created_new'],
} as const satisfies Schema

export const hostedAssetPage = object({
  assets: list(hostedAsset),
  total: count,
  has_more: boolean,
  next_cursor: optional(text),
})

/** An asset after a change: at least what identifies it. */
export const changedAsset = object({
  id: uuid,
  updated_at: time,
  name: optional(text),
  mime_type: optional(textOrNull),
  user_metadata: optional(anyObject),
})

export const hostedAddedTags = object({
  total_tags: texts,
  added: optional(texts),
  already_present: optional(texts),
})

export const hostedRemovedTags = object({
  total_tags: texts,
  removed: optional(texts),
  not_present: optional(texts),
})

/** The multipart form of an upload. `tags` is a JSON array of texts, `user_metadata` a JSON object. */
export const hostedAssetForm = object({
  file: { type: 'string', contentMediaType: 'application/octet-stream' },
  tags: optional({ type: 'string', examples: ['["input", "portrait"]'] }),
  name: optional({ type: 'string', maxLength: 512 }),
  user_metadata: optional({ type: 'string', contentMediaType: 'application/json' }),
  id: optional({ type: 'string', pattern: UUID }),
  hash: optional(text),
  mime_type: optional(text),
  preview_id: optional(text),
})

const someTags = { ...texts, minItems: 1, maxItems: 64 } as const

export const hostedFromHash = object({
  hash,
  tags: someTags,
  name: optional(text),
  user_metadata: optional(anyObject),
  mime_type: optional(text),
  preview_id: optional(text),
})

export const hostedAssetChange = {
  ...partial({ name: text, mime_type: text, preview_id: text, user_metadata: anyObject }),
  minProperties: 1,
} as const satisfies Schema

const tagsRequest = object({ tags: someTags })

const filters = {
  include_tags: text,
  exclude_tags: text,
  tags_all: text,
  tags_any: text,
  tags_none: text,
  name_contains: text,
  metadata_filter: text,
  hash,
  include_public: oneOf('true', 'false'),
} as const

const unknown = { 404: hostedError } as const
const ofOne = { 403: hostedError, 404: hostedError } as const
const idPart = { id: { type: 'string', pattern: UUID } } as const

export const endpoints = {
  hostedAssets: get('/assets', hosted, {
    does: 'Lists assets.',
    query: {
      ...filters,
      limit: { type: 'integer', minimum: 1, maximum: 500 },
      offset: count,
      after: text,
      sort: { enum: sortFields },
      order: oneOf('asc', 'desc'),
    },
    hostedEmptyIsNone: true,
    replies: { 200: hostedAssetPage, 400: hostedError },
    // A cursor must be one that the server sent for the same order, and metadata a JSON object.
    rejectsValid: hosted,
    acceptsInvalid: hosted,
  }),
  hostedUpload: post('/assets', hosted, {
    does: 'Stores a file as an asset.',
    body: 'multipart',
    form: hostedAssetForm,
    replies: {
      200: hostedCreated,
      201: hostedCreated,
      400: hostedError,
      404: hostedError,
      413: hostedError,
      415: hostedError,
      422: hostedError,
    },
    rejectsValid: hosted,
  }),
  hostedFromHash: post('/assets/from-hash', hosted, {
    does: 'Creates an asset from content that the account has.',
    body: hostedFromHash,
    replies: {
      200: hostedCreated,
      201: hostedCreated,
      400: hostedError,
      404: hostedError,
      422: hostedError,
    },
    rejectsValid: hosted,
    acceptsInvalid: hosted,
  }),
  hostedByHash: head('/assets/hash/{hash}', hosted, {
    does: 'Reports whether the account has a content.',
    replies: { 200: 'empty', 400: 'empty', 404: 'empty' },
    rejectsValid: hosted,
  }),
  hostedTagCounts: get('/assets/tags/refine', hosted, {
    does: 'Counts the tags of the chosen assets.',
    query: { ...filters, limit: { type: 'integer', minimum: 1, maximum: 1000 } },
    hostedEmptyIsNone: true,
    replies: { 200: tagCounts, 400: hostedError },
    rejectsValid: hosted,
    acceptsInvalid: hosted,
  }),
  hostedReadAsset: get('/assets/{id}', hosted, {
    parts: idPart,
    does: 'Returns an asset.',
    replies: { 200: hostedAsset, ...unknown },
  }),
  hostedChangeAsset: put('/assets/{id}', hosted, {
    parts: idPart,
    does: 'Changes the name, the type, the metadata or the preview of an asset.',
    body: hostedAssetChange,
    replies: { 200: changedAsset, 400: hostedError, ...ofOne },
    rejectsValid: hosted,
    acceptsInvalid: hosted,
  }),
  hostedDeleteAsset: remove('/assets/{id}', hosted, {
    parts: idPart,
    does: 'Deletes an asset and its content.',
    replies: { 204: 'empty', ...ofOne, 409: hostedError },
  }),
  hostedContent: get('/assets/{id}/content', hosted, {
    parts: idPart,
    does: 'Redirects to the content of an asset.',
    query: { disposition: oneOf('attachment', 'inline') },
    replies: { 302: 'empty', ...unknown },
    acceptsInvalid: hosted,
  }),
  hostedAddTags: post('/assets/{id}/tags', hosted, {
    parts: idPart,
    does: 'Adds tags to an asset.',
    body: tagsRequest,
    replies: { 200: hostedAddedTags, 400: hostedError, ...ofOne, 422: hostedError },
    rejectsValid: hosted,
  }),
  hostedRemoveTags: remove('/assets/{id}/tags', hosted, {
    parts: idPart,
    does: 'Removes tags from an asset.',
    body: tagsRequest,
    replies: { 200: hostedRemovedTags, 400: hostedError, ...ofOne, 422: hostedError },
    rejectsValid: hosted,
  }),
  hostedTags: get('/tags', hosted, {
    does: 'Lists the tags of all assets.',
    query: {
      prefix: { type: 'string', maxLength: 256 },
      limit: { type: 'integer', minimum: 1, maximum: 1000 },
      offset: { type: 'integer', minimum: 0, maximum: 10_000_000 },
      order: oneOf('count_desc', 'name_asc'),
      include_zero: oneOf('true', 'false'),
      include_public: oneOf('true', 'false'),
    },
    hostedEmptyIsNone: true,
    replies: { 200: tagPage, 400: hostedError },
    acceptsInvalid: hosted,
    rejectsValid: hosted,
  }),
} as const satisfies Endpoints

const observed = observedAt('published hosted API, 2026, assets').hosted

export const rules = {
  ...observed({
    'hosted-assets/upload':
      'A hosted upload of a form with a file returns 201 with its asset and created_new true.',
    'hosted-assets/upload-again':
      'An upload of known content under the same name returns 200 with created_new false.',
    'hosted-assets/upload-tags':
      'The tags of a hosted upload are a JSON array in a text; it needs none.',
    'hosted-assets/upload-id':
      'A hosted upload can name its id; a taken one returns 400 with ASSET_ID_UNAVAILABLE.',
    'hosted-assets/upload-fields':
      'name, mime_type, user_metadata and preview_id of a hosted upload describe its asset.',
    'hosted-assets/upload-refusals':
      'A hosted upload returns 415 without a form, 400 without a file, with an empty or other one.',
    'hosted-assets/upload-preview':
      'A hosted upload with an unknown preview_id returns 400 with INVALID_PREVIEW_ID.',
    'hosted-assets/fields':
      'A hosted asset has its hash, size and type, times with a zone, and no prompt_id.',
    'hosted-assets/loader-path':
      'loader_path of a hosted upload is made of the hash of its content, and a node loads it.',
    'hosted-assets/read': 'A hosted asset is found by its id, in any case.',
    'hosted-assets/unknown':
      'Each path of a hosted asset that does not exist, or belongs to others, returns 404.',
    'hosted-assets/content':
      'The content of a hosted asset is a 302 to a signed link that caches keep private.',
    'hosted-assets/list':
      'GET of hosted assets lists the newest 20, with their total and has_more.',
    'hosted-assets/list-tags':
      'A hosted list takes each kind of tags as a list with commas, and repeated.',
    'hosted-assets/list-filters':
      'A hosted list can be filtered by name_contains, hash and metadata_filter.',
    'hosted-assets/list-public':
      'A hosted list contains the models that all share, unless include_public is false.',
    'hosted-assets/list-tag-refusals':
      'Hosted tag filters in both spellings, or that contradict, return 400 INVALID_TAG_FILTER.',
    'hosted-assets/cursor':
      'A hosted list that goes on has next_cursor, to be sent as after with the same sort.',
    'hosted-assets/from-hash':
      'from-hash returns 201 with an asset of content that the account has, else 404.',
    'hosted-assets/from-hash-tags': 'A hosted from-hash without tags returns 422.',
    'hosted-assets/by-hash':
      'HEAD of a hash returns 200 for content of the account, 404 for other, 400 for no hash.',
    'hosted-assets/change':
      'PUT changes name, mime_type, user_metadata and preview_id of a hosted asset.',
    'hosted-assets/change-refusals':
      'PUT without any member that can change, as with tags alone, returns 400.',
    'hosted-assets/delete':
      'DELETE of a hosted asset returns 204 and removes its content, unless another has it.',
    'hosted-assets/delete-in-use':
      'DELETE of an asset whose file a job needs that is not over returns 409 ASSET_IN_USE.',
    'hosted-assets/add-tags':
      'POST of hosted tags returns the tags of the asset, and which were new to it.',
    'hosted-assets/remove-tags':
      'DELETE of hosted tags returns the tags of the asset, and which it had and lacked.',
    'hosted-assets/tag-refusals':
      'A reserved tag, no tags and more than 64 tags return 422 and change nothing.',
    'hosted-assets/tags':
      'The hosted list of tags leaves out tags without assets, unless include_zero is true.',
    'hosted-assets/tag-counts':
      'The hosted refine counts the tags of what a list would contain; its limit counts tags.',
  }),
  ...chosen.hosted({
    'hosted-assets/shared':
      'The models of the catalogue are is_immutable for all accounts; changes return 403.',
    'hosted-assets/model':
      'A hosted upload with the tags models and of a model folder is listed in that folder.',
    'hosted-assets/of-upload': 'A file of POST /api/upload/image is an asset with its file name.',
    'hosted-assets/of-run':
      'What a run has saved is an asset with its job_id once that is over, with the id of API v2.',
    'hosted-assets/of-v2':
      'An upload of API v2 is an asset with the same id, until either API deletes it.',
    'hosted-assets/list-refusals':
      'A hosted list returns 400 INVALID_QUERY for a value that does not fit its parameter.',
    'hosted-assets/bad-form':
      'A hosted upload returns 400 for a form that is broken, and 422 for fields that do not fit.',
    'hosted-assets/bounds':
      'Of each hosted account the latest 10,000 assets are kept, with 64 MiB of names and tags.',
  }),
} as const satisfies Rules
