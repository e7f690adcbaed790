// Wrong servers that mishandle assets.

import {
  answers,
  dropped,
  mapped,
  type Mutants,
  onData,
  onJson,
  onReply,
  onText,
  turned,
  without,
} from '../tamper.ts'

const upload = /^POST \/api\/assets$/
const any = /\/api\/(assets|tags)/
const one = /^GET \/api\/assets\/[0-9a-fA-F-]{36}$/
const content = /\/content(\?|$)/
const scan = /^POST \/api\/assets\/seed/
const ofTags = /^(POST|DELETE) \/api\/assets\/[0-9a-f-]+\/tags/
const change = /^PUT /

/** A header of a reply with another value. */
const header = (asked: RegExp, name: string, value: string) =>
  onReply(asked, ({ headers }) => ({ headers: { ...headers, [name]: value } }))

/** Each tag list of an upload, changed. */
const onTags = (change: (tags: string[]) => string[]) =>
  onJson(upload, (found) => ('tags' in found ? { ...found, tags: change(found.tags) } : found))

export const assets: Mutants = {
  'off-is-404': { breaks: ['assets/off'], tamper: turned(any, 503, 404) },
  'off-in-other-words': {
    breaks: ['assets/off'],
    tamper: onText(any, 'SERVICE_DISABLED', 'DISABLED'),
  },
  'without-prefix-too': {
    breaks: ['assets/only-below-api'],
    tamper: onReply(/^GET \/assets/, () => ({ status: 200 })),
  },
  'upload-is-200': {
    breaks: ['assets/upload', 'assets/upload-tags'],
    tamper: turned(upload, 201, 200),
  },
  'upload-is-never-new': {
    breaks: ['assets/upload'],
    tamper: onText(upload, '"created_new": true', '"created_new": false'),
  },
  'upload-loses-ending': {
    breaks: ['assets/upload-name'],
    tamper: onText(upload, /(?<="loader_path": "[0-9a-f]{64})\.[^"]*/, ''),
  },
  'upload-is-always-new': {
    breaks: ['assets/upload-again'],
    tamper: onText(upload, '"created_new": false', '"created_new": true'),
  },
  'tags-as-sent': {
    breaks: ['assets/upload-tags', 'assets/upload-tagged'],
    tamper: onTags((tags) => tags.toReversed()),
  },
  'upload-is-not-marked': {
    breaks: ['assets/upload-tagged'],
    tamper: onTags((tags) => tags.filter((tag) => tag !== 'uploaded')),
  },
  'any-role': {
    breaks: ['assets/upload-role', 'assets/upload-model'],
    tamper: turned(upload, 400, 201),
  },
  'models-are-not-listed': {
    breaks: ['assets/upload-model'],
    tamper: onJson(/^GET \/models\//, (names: string[]) =>
      names.filter((name) => !/^[0-9a-f]{64}/.test(name)),
    ),
  },
  'form-is-not-required': {
    breaks: ['assets/upload-refusals'],
    tamper: turned(upload, 415, 400),
  },
  'hash-is-not-compared': {
    breaks: ['assets/upload-hash', 'assets/hashing'],
    tamper: onText(upload, 'HASH_MISMATCH', 'INVALID_BODY'),
  },
  'metadata-through-javascript': {
    breaks: ['assets/upload-fields'],
    tamper: onJson(upload, (found) => found),
  },
  'long-names': {
    breaks: ['assets/upload-bad-fields'],
    tamper: onText(upload, 'Validation failed: ', ''),
  },
  'broken-form-is-400': { breaks: ['assets/upload-broken'], tamper: turned(upload, 500, 400) },
  'nulls-are-sent': {
    breaks: ['assets/fields'],
    tamper: onJson(one, (found) => ({ job_id: null, ...found })),
  },
  'hash-only-once': {
    breaks: ['assets/older-members'],
    tamper: onJson(upload, (found) => without(found, 'asset_hash')),
  },
  'members-of-before': {
    breaks: ['assets/newer-members'],
    tamper: onJson(upload, (found) => ({ ...found, is_immutable: false })),
  },
  'times-with-zone': {
    breaks: ['assets/times'],
    tamper: onText(upload, /("created_at": "[^"]*)"/, '$1Z"'),
  },
  'previews-of-all': {
    breaks: ['assets/preview-url'],
    tamper: onJson(upload, (found) => ({ preview_url: '/api/view', ...found })),
  },
  'previews-of-files': {
    breaks: ['assets/preview-of-metadata'],
    tamper: onJson(upload, (found) =>
      /image/.test(found.mime_type) ? found : without(found, 'preview_url'),
    ),
  },
  'preview-of-any-upload': {
    breaks: ['assets/preview-of-upload'],
    tamper: onJson(upload, (found) =>
      'preview_id' in found ? { preview_url: '/api/view', ...found } : found,
    ),
  },
  'filename-of-client': {
    breaks: ['assets/filename'],
    tamper: onText(upload, /"filename": "[^"]*"/, '"filename": "mine"'),
  },
  'preview-is-its-own': {
    breaks: ['assets/preview-of-other'],
    tamper: onJson(upload, (found) =>
      'preview_id' in found ? without(found, 'preview_url') : found,
    ),
  },
  'ids-are-case-sensitive': {
    breaks: ['assets/read'],
    tamper: answers(/^GET \/api\/assets\/(?=.*[A-F])[0-9A-F-]{36}$/, 404),
  },
  'unknown-is-400': { breaks: ['assets/unknown', 'assets/delete'], tamper: turned(any, 404, 400) },
  'any-id': {
    breaks: ['assets/no-uuid'],
    tamper: onReply(/^PUT \/api\/assets\//, ({ status }) => ({
      status: status === 405 ? 404 : status,
    })),
  },
  'content-inline': {
    breaks: ['assets/content'],
    tamper: onReply(content, ({ headers }) => ({
      headers: mapped(headers, (value) => String(value).replace('attachment', 'inline')),
    })),
  },
  'content-is-sniffed': {
    breaks: ['assets/content', 'assets/content-active'],
    tamper: onReply(content, ({ headers }) => ({
      headers: without(headers, 'X-Content-Type-Options'),
    })),
  },
  'pages-run': {
    breaks: ['assets/content-active'],
    tamper: header(content, 'Content-Type', 'text/html'),
  },
  'images-are-downloads': {
    breaks: ['assets/content-as-image'],
    tamper: header(content, 'Content-Type', 'application/octet-stream'),
  },
  'hashes-are-unknown': {
    breaks: ['assets/by-hash', 'assets/hashing'],
    tamper: turned(/^HEAD \/api\/assets\/hash/, 200, 404),
  },
  'any-hash': {
    breaks: ['assets/by-no-hash'],
    tamper: turned(/^HEAD \/api\/assets\/hash/, 400, 404),
  },
  'from-hash-is-200': {
    breaks: ['assets/from-hash', 'assets/hashing-again'],
    tamper: turned(/from-hash/, 201, 200),
  },
  'from-hash-takes-all': {
    breaks: ['assets/from-hash-refusals', 'assets/no-hashing'],
    tamper: turned(/from-hash/, 400, 404),
  },
  'change-keeps-time': {
    breaks: ['assets/change'],
    tamper: onJson(change, (found) => ({ ...found, updated_at: found.created_at })),
  },
  'nothing-is-a-change': { breaks: ['assets/change-refusals'], tamper: turned(change, 400, 200) },
  'delete-is-200': {
    breaks: ['assets/delete'],
    tamper: answers(/^DELETE \/api\/assets\/[^/]*$/, 200),
  },
  'tags-are-counted-wrong': {
    breaks: ['assets/add-tags', 'assets/remove-tags'],
    tamper: onJson(ofTags, (found) => ({ ...found, total_tags: [] })),
  },
  'any-tags': {
    breaks: ['assets/tag-refusals', 'assets/system-tags'],
    tamper: turned(ofTags, 400, 200),
  },
  'scan-is-200': { breaks: ['assets/scan'], tamper: turned(scan, 202, 200) },
  'any-root': { breaks: ['assets/scan-roots'], tamper: turned(scan, 400, 202) },
  'scan-runs-forever': {
    breaks: ['assets/scan-state'],
    tamper: onText(/seed\/status/, 'IDLE', 'RUNNING'),
  },
  'prune-keeps-all': {
    breaks: ['assets/prune-temporary'],
    tamper: onText(/prune$/, /"marked": \d+/, '"marked": 0'),
  },
  'scan-is-silent': {
    breaks: ['assets/scan-messages'],
    tamper: dropped('assets.seed.fast_complete'),
  },
  'scan-counts-wrong': {
    breaks: ['assets/scan-messages'],
    tamper: onData('assets.seed.completed', (data) => ({ ...data, total: -1 })),
  },
  'uploads-are-no-assets': {
    breaks: ['assets/of-upload'],
    tamper: onJson(/^POST \/upload/, (found) => without(found, 'asset')),
  },
  'folders-are-no-tags': {
    breaks: ['assets/upload-folders'],
    tamper: onText(/^POST \/upload/, /"pasted",\s*/, ''),
  },
  'temporary-is-no-input': {
    breaks: ['assets/upload-temporary'],
    tamper: onText(/^POST \/upload/, /"input",\s*"temp"/, '"temp"'),
  },
  'outputs-are-no-uploads': {
    breaks: ['assets/output-tags'],
    tamper: onJson(one, (found) => ({
      ...found,
      tags: found.tags?.filter((tag: string) => tag !== 'uploaded'),
    })),
  },
  'outputs-are-no-assets': {
    breaks: ['assets/of-run'],
    tamper: onText(/^GET \/history/, /, "id": ?"[0-9a-f-]{36}"|,"id":"[0-9a-f-]{36}"/g, ''),
  },
  'outputs-without-preview': {
    breaks: ['assets/output-preview'],
    tamper: onText(/^GET \/history/, /, ?"preview_id": ?"[0-9a-f-]{36}"/g, ''),
  },
  'run-is-not-named': {
    breaks: ['assets/of-run'],
    tamper: onJson(one, (found) => without(found, 'job_id')),
  },
  'hash-is-a-name': {
    breaks: ['assets/view-hash', 'assets/hashing'],
    tamper: answers(/^GET \/view\?filename=blake3/, 404),
  },
  'size-is-invented': {
    breaks: ['assets/painted'],
    tamper: onJson(one, (found) => ({ ...found, size: 1 })),
  },
  'texts-without-bound': { breaks: ['assets/bounds'], tamper: turned(ofTags, 413, 200) },
}
