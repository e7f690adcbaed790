// Assets of the hosted API v2: uploads by content, references to them, their download.

import { hosted, type Endpoints, type Rules, chosen, observedIn, observedAt } from '../language.ts'
import { v2Error } from './errors.ts'
import { hashPattern, id, keyHeaders, time, timeOrNull } from './shapes.ts'
import {
  any,
  anyOf,
  boolean,
  count,
  list,
  name,
  nothing,
  nullable,
  object,
  optional,
  text,
  textOrNull,
  volatile,
} from '../schema.ts'
import { get, head, post, remove } from '../endpoint.ts'

/** How long an asset can be set to live, in seconds. */
export const assetLifetimes = { least: 60, most: 604_800 } as const

const hash = { type: 'string', pattern: hashPattern } as const
const lifetime = {
  type: 'integer',
  minimum: assetLifetimes.least,
  maximum: assetLifetimes.most,
} as const

export const v2Asset = object({
  id,
  hash: { type: ['string', 'null'], pattern: hashPattern },
  size_bytes: count,
  content_type: text,
  file_path: optional(textOrNull),
  created_at: time,
  url: volatile(text),
  url_expires_at: time,
  created_new: optional(boolean),
  expires_at: optional(timeOrNull),
  job_id: optional(volatile(textOrNull)),
})

/** A reference to an asset in a workflow. */
export const assetReference = object({
  __type: { const: 'core/ASSET' },
  info: object({ id: text, hash: optional(text), file_path: optional(any) }),
})

export const fromHash = object({
  hash,
  file_path: optional(textOrNull),
  tags: optional(nullable(list(text))),
  expires_in: optional(anyOf(lifetime, nothing)),
})

const assetForm = object({
  content_type: name,
  file_path: optional(text),
  expected_hash: optional(hash),
  tags: optional(list(text)),
  expires_in: optional(lifetime),
  file: any,
})

const always = { 401: v2Error, 403: v2Error } as const
const ofOne = { ...always, 404: v2Error } as const

export const endpoints = {
  v2Upload: post('/v2/assets', hosted, {
    does: 'Uploads an asset.',
    headers: keyHeaders,
    body: 'multipart',
    form: assetForm,
    replies: {
      200: v2Asset,
      201: v2Asset,
      400: v2Error,
      ...always,
      409: v2Error,
      413: v2Error,
      422: v2Error,
    },
    rejectsValid: hosted,
  }),
  v2FromHash: post('/v2/assets/from-hash', hosted, {
    does: 'Makes an asset of bytes that the account has uploaded.',
    body: fromHash,
    replies: { 200: v2Asset, 201: v2Asset, 400: v2Error, ...ofOne, 413: v2Error, 422: v2Error },
  }),
  v2ByHash: head('/v2/assets/by-hash/{hash}', hosted, {
    does: 'Returns whether the account has an asset with this hash.',
    replies: { 200: 'empty', 401: 'empty', 403: 'empty', 404: 'empty' },
  }),
  v2Asset: get('/v2/assets/{id}', hosted, {
    does: 'Returns an asset with a fresh address.',
    replies: { 200: v2Asset, ...ofOne },
  }),
  v2DeleteAsset: remove('/v2/assets/{id}', hosted, {
    does: 'Deletes an asset.',
    replies: { 204: 'empty', ...ofOne },
  }),
  v2Content: get('/v2/assets/{id}/content', hosted, {
    does: 'Redirects to the bytes of an asset.',
    replies: { 302: 'empty', ...ofOne },
  }),
} as const satisfies Endpoints

const observed = observedIn('v2')

export const rules = {
  ...observed.hosted({
    'v2-assets/upload':
      'An upload returns 201 with the asset, whose hash the server computes from the bytes.',
    'v2-assets/known-bytes':
      'An upload of bytes that the account has returns 200 with created_new false.',
    'v2-assets/expected-hash':
      'An upload with another expected_hash returns 409 hash_mismatch and stores nothing.',
  }),
  ...observedAt(
    'published hosted API, 2026, v2; clients of hosted API v2: comfy-cli 1.23.0',
  ).hosted({
    'v2-assets/file-last':
      'The fields of an upload precede its file, content_type among them; otherwise 422.',
  }),
  ...observed.hosted({
    'v2-assets/by-hash':
      'HEAD by hash returns 200 for bytes of the account, with the colon raw or escaped.',
    'v2-assets/from-hash':
      'from-hash returns 201 with a new asset, 200 where one with that path exists.',
    'v2-assets/unknown-hash':
      'from-hash returns 404 blob_not_found for bytes that the account does not have.',
    'v2-assets/read':
      'An asset keeps its id, hash, size, type and path; its address is fresh on each read.',
    'v2-assets/content':
      'The content of an asset is a redirect to a signed link that needs no key.',
    'v2-assets/range':
      'A range of the content works through its redirect; one outside of it returns 416.',
    'v2-assets/delete':
      'A delete returns 204, then the asset is unknown; bytes of another asset stay readable.',
    'v2-assets/outputs': 'The id of an output is the id of an asset, with the id of its job.',
    'v2-assets/reference':
      'A reference in a workflow is replaced by the file of its asset, wherever it stands.',
    'v2-assets/missing-reference':
      'A reference to an unknown or foreign asset returns 422 missing_asset with its id.',
    'v2-assets/foreign': 'An asset of another account returns the same 404 as an unknown one.',
  }),
  ...observedAt('clients of hosted API v2: comfy-sdk 0.5.0').hosted({
    'v2-assets/by-path':
      'A node that takes a file of the inputs takes the file_path of an upload, the latest one.',
  }),
  ...chosen.hosted({
    'v2-assets/form':
      'An upload that is not a form, or has a bad field, returns 422 invalid_request.',
    'v2-assets/bounded':
      'An upload beyond the storage of its account returns 413 payload_too_large.',
    'v2-assets/address': 'The address of an asset is a signed link that expires at url_expires_at.',
    'v2-assets/lifetime':
      'An asset with expires_in is unknown after that; known bytes can only last longer.',
    'v2-assets/large-outputs':
      'An output picture above 2,000,000 pixels has no hash and the size 0.',
  }),
} as const satisfies Rules
