// Wrong servers that mishandle assets.

import {
  answers,
  mapped,
  type Mutants,
  onJson,
  onReply,
  onText,
  turned,
  without,
} from '../tamper.ts'

const content = /\/content(\?|$)/

/** A header of a reply with another value. */
const header = (asked: RegExp, name: string, value: string) =>
  onReply(asked, ({ headers }) => ({ headers: { ...headers, [name]: value } }))

/** Each tag list of an upload, changed. */
const onTags = (change: (tags: string[]) => string[]) =>
  onJson('uploadAsset', (found) =>
    'tags' in found ? { ...found, tags: change(found.tags) } : found,
  )

/** The assets of a page, changed. */
const onPage = (change: (assets: any[]) => any[]) =>
  onJson('listAssets', (page) =>
    'assets' in page ? { ...page, assets: change(page.assets) } : page,
  )

export const assets: Mutants = {
  'without-prefix-too': {
    breaks: ['assets/only-below-api'],
    tamper: onReply(/^GET \/assets/, () => ({ status: 200 })),
  },
  'upload-loses-ending': {
    breaks: ['assets/upload-name'],
    tamper: onText('uploadAsset', /(?<="loader_path": "[0-9a-f]{64})\.[^"]*/, ''),
  },
  'tags-as-sent': {
    breaks: ['assets/upload-tags', 'assets/upload-tagged'],
    tamper: onTags((tags) => tags.toReversed()),
  },
  'upload-is-not-marked': {
    breaks: ['assets/upload-tagged'],
    tamper: onTags((tags) => tags.filter((tag) => tag !== 'uploaded')),
  },
  'models-are-not-listed': {
    breaks: ['assets/upload-model'],
    tamper: onJson(/^GET \/models\//, (names: string[]) =>
      names.filter((name) => !/^[0-9a-f]{64}/.test(name)),
    ),
  },
  'metadata-through-javascript': {
    breaks: ['assets/upload-fields'],
    tamper: onJson('uploadAsset', (found) => found),
  },
  'long-names': {
    breaks: ['assets/upload-bad-fields'],
    tamper: onText('uploadAsset', 'Validation failed: ', ''),
  },
  'nulls-are-sent': {
    breaks: ['assets/fields'],
    tamper: onJson('readAsset', (found) => ({ job_id: null, ...found })),
  },
  'hash-only-once': {
    breaks: ['assets/older-members'],
    tamper: onJson('uploadAsset', (found) => without(found, 'asset_hash')),
  },
  'members-of-before': {
    breaks: ['assets/newer-members'],
    tamper: onJson('uploadAsset', (found) => ({ ...found, is_immutable: false })),
  },
  'times-with-zone': {
    breaks: ['assets/times'],
    tamper: onText('uploadAsset', /("created_at": "[^"]*)"/, '$1Z"'),
  },
  'previews-of-all': {
    breaks: ['assets/preview-url'],
    tamper: onJson('uploadAsset', (found) => ({ preview_url: '/api/view', ...found })),
  },
  'previews-of-files': {
    breaks: ['assets/preview-of-metadata'],
    tamper: onJson('uploadAsset', (found) =>
      /image/.test(found.mime_type) ? found : without(found, 'preview_url'),
    ),
  },
  'preview-of-any-upload': {
    breaks: ['assets/preview-of-upload'],
    tamper: onJson('uploadAsset', (found) =>
      'preview_id' in found ? { preview_url: '/api/view', ...found } : found,
    ),
  },
  'filename-of-client': {
    breaks: ['assets/filename'],
    tamper: onText('uploadAsset', /"filename": "[^"]*"/, '"filename": "mine"'),
  },
  'preview-is-its-own': {
    breaks: ['assets/preview-of-other'],
    tamper: onJson('uploadAsset', (found) =>
      'preview_id' in found ? without(found, 'preview_url') : found,
    ),
  },
  'ids-are-case-sensitive': {
    breaks: ['assets/read'],
    tamper: answers(/^GET \/api\/assets\/(?=.*[A-F])[0-9A-F-]{36}$/, 404),
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
  'from-hash-is-200': {
    breaks: ['assets/from-hash', 'assets/hashing-again'],
    tamper: turned(/from-hash/, 201, 200),
  },
  'change-keeps-time': {
    breaks: ['assets/change'],
    tamper: onJson('changeAsset', (found) => ({ ...found, updated_at: found.created_at })),
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
    tamper: onJson('readAsset', (found) => ({
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
    tamper: onJson('readAsset', (found) => without(found, 'job_id')),
  },
  'hash-is-a-name': {
    breaks: ['assets/view-hash', 'assets/hashing'],
    tamper: answers(/^GET \/view\?filename=blake3/, 404),
  },
  'size-is-invented': {
    breaks: ['assets/painted'],
    tamper: onJson('readAsset', (found) => ({ ...found, size: 1 })),
  },
  'oldest-first': {
    breaks: ['assets/list', 'assets/list-pages', 'assets/cursor'],
    tamper: onPage((assets) => assets.toReversed()),
  },
  'pages-of-twenty': {
    breaks: ['assets/list', 'assets/scanned'],
    tamper: onPage((assets) => assets.slice(0, 5)),
  },
  'sorted-by-name': {
    breaks: ['assets/list-sort'],
    tamper: onPage((assets) => assets.toSorted((a, b) => (a.name < b.name ? -1 : 1))),
  },
  'filters-are-ignored': {
    breaks: ['assets/list-tags', 'assets/list-newer-tags', 'assets/list-hash'],
    tamper: onJson('listAssets', (page) => ({ ...page, assets: [], total: 1 })),
  },
  'names-are-not-searched': {
    breaks: ['assets/list-name'],
    tamper: onPage(() => []),
  },
  'metadata-is-not-searched': {
    breaks: ['assets/list-metadata'],
    tamper: onReply(/metadata_filter/, ({ status }) => ({
      status: status === 200 ? 400 : status,
      body: '{}',
    })),
  },
  'newer-filters-are-known': {
    breaks: ['assets/list-ignores'],
    tamper: onJson(/tags_(all|any|none)/, (page) => ({ ...page, assets: [], total: 0 })),
  },
  'hash-is-known': {
    breaks: ['assets/list-ignores-hash'],
    tamper: onJson(/hash=none/, (page) => ({ ...page, assets: [], total: 0 })),
  },
  'tags-by-name': {
    breaks: ['assets/tags'],
    tamper: onJson('listTags', (page) => ({
      ...page,
      tags: page.tags?.toSorted((a: any, b: any) => (a.name < b.name ? -1 : 1)),
    })),
  },
  'unused-tags-are-hidden': {
    breaks: ['assets/tags-query', 'assets/first-tags'],
    tamper: onJson('listTags', (page) => ({
      ...page,
      tags: page.tags?.filter(({ count }: any) => count > 0),
    })),
  },
}
