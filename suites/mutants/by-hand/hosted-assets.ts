// Wrong servers that mishandle hosted assets, and the tasks of hosted accounts.

import {
  answers,
  dropped,
  type Mutants,
  onData,
  onJson,
  onReply,
  onText,
  turned,
  without,
} from '../tamper.ts'

/** The assets of a page, changed. */
const onPage = (change: (assets: any[]) => any[]) =>
  onJson('hostedAssets', (page) =>
    'assets' in page ? { ...page, assets: change(page.assets) } : page,
  )

/** An upload or another endpoint with a member that has another value. */
const member = (asked: Parameters<typeof onJson>[0], name: string, value: unknown) =>
  onJson(asked, (found) => (name in found ? { ...found, [name]: value } : found))

export const hostedAssets: Mutants = {
  'never-new': {
    breaks: ['hosted-assets/upload', 'hosted-assets/upload-id'],
    tamper: member('hostedUpload', 'created_new', false),
  },
  'always-created': {
    breaks: ['hosted-assets/upload-again'],
    tamper: turned('hostedUpload', 200, 201),
  },
  'uploads-are-marked': {
    breaks: ['hosted-assets/upload-tags', 'hosted-assets/model'],
    tamper: onJson('hostedUpload', (found) =>
      'tags' in found ? { ...found, tags: [...found.tags, 'uploaded'] } : found,
    ),
  },
  'uploads-lose-their-type': {
    breaks: ['hosted-assets/upload-fields'],
    tamper: member('hostedUpload', 'mime_type', 'text/plain'),
  },
  'refusals-are-400': {
    breaks: ['hosted-assets/upload-refusals'],
    tamper: turned('hostedUpload', 415, 400),
  },
  'preview-is-another-code': {
    breaks: ['hosted-assets/upload-preview'],
    tamper: onText('hostedUpload', 'INVALID_PREVIEW_ID', 'NOT_FOUND'),
  },
  'times-without-zone': {
    breaks: ['hosted-assets/fields', 'hosted-assets/read'],
    tamper: onText('hostedReadAsset', /Z"/g, '"'),
  },
  'loads-by-name': {
    breaks: ['hosted-assets/loader-path'],
    tamper: onJson('hostedUpload', (found) => ({ ...found, loader_path: found.name })),
  },
  'only-lower-case': {
    breaks: ['hosted-assets/read'],
    tamper: onReply('hostedReadAsset', (_, { target }) =>
      /[A-F]/.test(target) ? { status: 404 } : {},
    ),
  },
  'unknown-is-forbidden': {
    breaks: ['hosted-assets/unknown'],
    tamper: turned(/\/assets\//, 404, 403),
  },
  'content-is-public': {
    breaks: ['hosted-assets/content'],
    tamper: onReply('hostedContent', ({ headers }) => ({
      headers: { ...headers, 'Cache-Control': 'public' },
    })),
  },
  'oldest-first': {
    breaks: ['hosted-assets/list', 'hosted-assets/list-filters'],
    tamper: onPage((assets) => assets.toReversed()),
  },
  'pages-lose-one': {
    breaks: ['hosted-assets/cursor', 'hosted-assets/list-tags'],
    tamper: onPage((assets) => assets.slice(1)),
  },
  'models-belong-to-each': {
    breaks: ['hosted-assets/list-public', 'hosted-assets/shared'],
    tamper: onPage((assets) => assets.map((one) => ({ ...one, is_immutable: false }))),
  },
  'contradictions-find-nothing': {
    breaks: ['hosted-assets/list-tag-refusals', 'hosted-assets/list-refusals'],
    tamper: turned('hostedAssets', 400, 200),
  },
  'hashes-are-not-new': {
    breaks: ['hosted-assets/from-hash'],
    tamper: member('hostedFromHash', 'created_new', false),
  },
  'tags-are-optional': {
    breaks: ['hosted-assets/from-hash-tags', 'hosted-assets/tag-refusals'],
    tamper: turned(/\/assets\/(from-hash|[^/]+\/tags)/, 422, 400),
  },
  'no-hash-is-unknown': {
    breaks: ['hosted-assets/by-hash'],
    tamper: turned('hostedByHash', 400, 404),
  },
  'changes-do-not-last': {
    breaks: ['hosted-assets/change'],
    tamper: member('hostedReadAsset', 'name', 'as before'),
  },
  'tags-can-be-put': {
    breaks: ['hosted-assets/change-refusals'],
    tamper: turned('hostedChangeAsset', 400, 200),
  },
  'deletes-answer-200': {
    breaks: ['hosted-assets/delete', 'hosted-assets/delete-in-use'],
    tamper: turned('hostedDeleteAsset', 204, 200),
  },
  'new-tags-are-not-said': {
    breaks: ['hosted-assets/add-tags'],
    tamper: onJson('hostedAddTags', (found) => without(found, 'added')),
  },
  'lost-tags-are-not-said': {
    breaks: ['hosted-assets/remove-tags'],
    tamper: onJson('hostedRemoveTags', (found) => without(found, 'removed')),
  },
  'unused-tags-are-listed': {
    breaks: ['hosted-assets/tags'],
    tamper: onJson('hostedTags', (page) =>
      'tags' in page ? { ...page, tags: [...page.tags, { name: 'unused', count: 0 }] } : page,
    ),
  },
  'counts-are-one-more': {
    breaks: ['hosted-assets/tag-counts'],
    tamper: onJson('hostedTagCounts', ({ tag_counts = {} }) => ({
      tag_counts: Object.fromEntries(
        Object.entries(tag_counts as Record<string, number>).map(([tag, count]) => [
          tag,
          count + 1,
        ]),
      ),
    })),
  },
  'models-need-no-folder': {
    breaks: ['hosted-assets/bad-form', 'hosted-assets/model'],
    tamper: turned('hostedUpload', 422, 201),
  },
  'other-uploads-are-no-assets': {
    breaks: ['hosted-assets/of-upload'],
    tamper: onPage((assets) => assets.filter(({ name }) => !name.endsWith('old.txt'))),
  },
  'outputs-have-no-job': {
    breaks: ['hosted-assets/of-run'],
    tamper: onJson('hostedReadAsset', (found) => without(found, 'job_id')),
  },
  'v2-has-other-names': {
    breaks: ['hosted-assets/of-v2'],
    tamper: member('hostedReadAsset', 'name', 'upload'),
  },
}

export const tasks: Mutants = {
  'metadata-without-name': {
    breaks: ['tasks/remote-metadata'],
    tamper: onJson('remoteMetadata', (found) => without(found, 'filename')),
  },
  'bad-urls-are-400': {
    breaks: ['tasks/bad-url'],
    tamper: turned(/\/assets\/(remote-metadata|download)/, 422, 400),
  },
  'downloads-have-no-messages': {
    breaks: ['tasks/download-messages', 'tasks/download-failed'],
    tamper: dropped('asset_download'),
  },
  'downloads-name-no-asset': {
    breaks: ['tasks/download-messages'],
    tamper: onData('asset_download', (data) => without(data, 'asset_id')),
  },
  'downloads-are-done-at-first': {
    breaks: ['tasks/download', 'tasks/download-known'],
    tamper: turned('downloadAsset', 202, 200),
  },
  'failures-have-no-code': {
    breaks: ['tasks/download-failed', 'tasks/scripted'],
    tamper: onJson('task', (found) => without(found, 'error_message')),
  },
  'exports-have-no-messages': {
    breaks: ['tasks/export-messages'],
    tamper: dropped('asset_export'),
  },
  'archives-have-no-name': {
    breaks: ['tasks/export', 'tasks/export-names'],
    tamper: onJson('task', (found) =>
      found.result ? { ...found, result: without(found.result, 'export_name') } : found,
    ),
  },
  'archives-lead-nowhere': {
    breaks: ['tasks/export-link'],
    tamper: onText('assetExport', /"url":"[^"]*/, '"url":"http://127.0.0.1:9/nowhere'),
  },
  'nothing-succeeds': {
    breaks: ['tasks/export-nothing'],
    tamper: onText('task', '"success": false', '"success": true'),
  },
  'any-export-begins': {
    breaks: ['tasks/export-refusals'],
    tamper: turned('exportAssets', 400, 422),
  },
  'each-task-is-new': {
    breaks: ['tasks/same'],
    tamper: (deployment) => {
      let count = 0
      return onJson('exportAssets', (found) => ({
        ...found,
        task_id: `0000000${++count}${found.task_id?.slice(8)}`,
      }))(deployment)
    },
  },
  'tasks-are-hidden': {
    breaks: ['tasks/list', 'tasks/bounds'],
    tamper: member('tasks', 'tasks', []),
  },
  'any-list-fits': {
    breaks: ['tasks/list-refusals'],
    tamper: turned('tasks', 422, 400),
  },
  'tasks-have-no-key': {
    breaks: ['tasks/one'],
    tamper: onJson('task', (found) => without(found, 'idempotency_key')),
  },
  'unknown-tasks-are-gone': {
    breaks: ['tasks/unknown'],
    tamper: turned(/\/tasks\//, 404, 410),
  },
  'cancels-answer-200': {
    breaks: ['tasks/cancel'],
    tamper: turned('cancelTask', 204, 200),
  },
  'ends-can-be-cancelled': {
    breaks: ['tasks/cancel-over'],
    tamper: turned('cancelTask', 409, 204),
  },
  'everything-is-over': {
    breaks: ['tasks/clock'],
    tamper: member('task', 'status', 'completed'),
  },
  'imports-are-lost': {
    breaks: ['tasks/import'],
    tamper: answers('importAssets', 204),
  },
  'workflows-name-nothing': {
    breaks: ['tasks/from-workflow'],
    tamper: member('workflowAssets', 'assets', []),
  },
}
