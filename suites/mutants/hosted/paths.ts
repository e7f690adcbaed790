// Wrong hosted servers that mishandle every request: paths, refusals, the catalogue, the system, user data.

import {
  answers,
  mapped,
  type Mutants,
  onJson,
  onReply,
  onText,
  stale,
  without,
} from '../tamper.ts'

const anything = /./
const jsonType = { 'Content-Type': 'application/json; charset=utf-8' }
const notFound = { status: 404, headers: jsonType, body: '{"code":"NOT_FOUND","message":"x"}' }

export const hostedPaths: Mutants = {
  'prefix-lacks-a-path': {
    breaks: ['deployments/hosted-prefix'],
    tamper: onReply(/^GET \/api\/settings$/, () => notFound),
  },
  'serves-without-prefix': {
    breaks: ['deployments/hosted-unprefixed'],
    tamper: answers(/^GET \/queue/, 200),
  },
  'serves-the-manager': {
    breaks: ['deployments/hosted-unprefixed'],
    tamper: answers(/^GET \/manager/, 200),
  },
  'socket-below-api': {
    breaks: ['deployments/hosted-unprefixed'],
    tamper: answers(/^GET \/api\/ws/, 426),
  },
  'models-not-renamed': {
    breaks: ['deployments/hosted-models-renamed', 'catalog/model-folders', 'catalog/hosted-models'],
    tamper: onReply(/^GET \/api\/experiment\/models/, () => notFound),
  },
  'old-models-stay': {
    breaks: ['deployments/hosted-old-models'],
    tamper: answers(/^GET \/api\/models/, 200),
  },
  'serves-what-local-has': {
    breaks: ['deployments/paths-of-local'],
    tamper: answers(/^GET \/api\/i18n/, 200),
  },
  'local-serves-what-hosted-has': {
    breaks: ['deployments/paths-of-hosted'],
    tamper: answers(/^GET \/history_v2/, 200),
  },
  'alias-serves-what-hosted-has': {
    breaks: ['deployments/paths-of-hosted'],
    tamper: answers(/^GET \/api\/history_v2/, 200),
  },
  'statistics-need-a-key': {
    breaks: ['access/hosted-public-statistics'],
    tamper: onReply(/^GET \/api\/system_stats/, (reply, { headers }) =>
      headers['x-api-key'] === 'test-key' ? reply : { status: 401 },
    ),
  },
  'models-are-public': {
    breaks: ['access/hosted-public-statistics'],
    options: { quirk: ['hosted.public-catalogues'] },
  },
  'refusals-without-code': {
    breaks: ['http/hosted-refusals'],
    tamper: onReply(anything, ({ status, body }) =>
      status < 400 || typeof body !== 'string' ? {} : { body: '{"error": "no"}' },
    ),
  },
  'refusals-as-text': {
    breaks: ['http/hosted-refusals', 'http/hosted-bad-body'],
    tamper: onReply(anything, ({ status }) =>
      status === 400 ? { status: 500, headers: {}, body: '500 Internal Server Error' } : {},
    ),
  },
  'unknown-path-is-405': {
    breaks: ['http/hosted-unknown-path'],
    tamper: onReply(/^POST \/api\/nowhere/, () => ({ status: 405 })),
  },
  'wrong-method-is-404': {
    breaks: ['http/hosted-wrong-method'],
    tamper: onReply(/^DELETE \/api\/prompt/, () => notFound),
  },
  'head-is-refused': { breaks: ['http/hosted-head'], tamper: answers(/^HEAD \/api\/user/, 405) },
  'options-need-a-key': { breaks: ['http/hosted-options'], tamper: answers(/^OPTIONS/, 401) },
  'refusals-are-for-nobody': {
    breaks: ['http/hosted-cors'],
    tamper: onReply(anything, ({ status, headers }) => ({
      headers: status < 400 ? headers : without(headers, 'Access-Control-Allow-Origin'),
    })),
  },
  'key-is-no-header-for-pages': {
    breaks: ['http/hosted-cors', 'http/hosted-options'],
    tamper: onReply(anything, ({ headers }) => ({
      headers: mapped(headers, (value) => String(value).replace(', X-API-Key', '')),
    })),
  },
  'huge-body-is-text': {
    breaks: ['http/hosted-body-limit'],
    tamper: onReply(anything, ({ status }) => (status === 413 ? { body: 'Too large.' } : {})),
  },
  'json-as-text': {
    breaks: ['http/json-replies', 'http/json-without-type'],
    tamper: onReply(/^(GET|POST) \/api\/settings/, () => ({
      headers: { 'Content-Type': 'text/plain' },
    })),
  },
  'types-lack-one': {
    breaks: ['catalog/node-types'],
    tamper: onJson(/^GET \/api\/object_info$/, (types) => without(types, 'KSampler')),
  },
  'one-type-bare': {
    breaks: ['catalog/one-node-type', 'catalog/hosted-unknown-node-type'],
    tamper: onJson(/^GET \/api\/object_info\//, (types) => Object.values(types)[0] ?? null),
  },
  'folders-as-texts': {
    breaks: ['catalog/model-folders', 'catalog/hosted-folders'],
    tamper: onJson(/^GET \/api\/experiment\/models$/, (folders: { name: string }[]) =>
      folders.map(({ name }) => name),
    ),
  },
  'models-as-texts': {
    breaks: ['catalog/hosted-models'],
    tamper: onJson(/^GET \/api\/experiment\/models\//, (models) =>
      Array.isArray(models) ? models.map(({ name }) => name) : models,
    ),
  },
  'models-list-more': {
    breaks: ['catalog/hosted-models'],
    tamper: onText(/^GET \/api\/experiment\/models\//, /"pathIndex":0/g, '"pathIndex":0,"size":1'),
  },
  'no-models-is-empty': {
    breaks: ['catalog/hosted-no-models'],
    tamper: onReply(/^GET \/api\/experiment\/models\//, ({ status }) =>
      status === 404 ? { status: 200, body: '[]' } : {},
    ),
  },
  'no-models-is-unknown-path': {
    breaks: ['catalog/hosted-no-models'],
    tamper: onText(/^GET \/api\/experiment/, 'folder_not_found', 'NOT_FOUND'),
  },
  'previews-are-png': {
    breaks: ['catalog/hosted-preview'],
    tamper: onReply(/\/preview\//, ({ status }) =>
      status === 200 ? { headers: { 'Content-Type': 'image/png' } } : {},
    ),
  },
  'shares-a-template': {
    breaks: ['catalog/hosted-nothing-shared'],
    tamper: onReply(/workflow_templates/, () => ({ body: '{"mine": []}' })),
  },
  'statistics-as-on-local': {
    breaks: ['system/statistics', 'system/hosted-statistics'],
    tamper: onJson(/^GET \/api\/system_stats/, ({ system }) => ({
      system: without(system, 'cloud_version', 'pytorch_version'),
      devices: [{ name: 'cuda', torch_vram_total: 0 }],
    })),
  },
  'features-of-another': {
    breaks: ['system/hosted-features'],
    tamper: onText(
      /^GET \/api\/features/,
      /"max_concurrent_jobs": \d+/,
      '"max_concurrent_jobs": 2',
    ),
  },
  'free-is-gone': {
    breaks: ['system/free', 'system/hosted-free'],
    tamper: onReply(/^POST \/api\/free/, () => notFound),
  },
  'feedback-is-200': {
    breaks: ['system/hosted-feedback'],
    tamper: answers(/^POST \/api\/feedback/, 200),
  },
  'settings-answer-nothing': {
    breaks: ['settings/hosted-merge', 'settings/hosted-text'],
    tamper: onReply(/^POST \/api\/settings$/, () => ({ body: '' })),
  },
  'setting-is-bare': {
    breaks: ['settings/hosted-one'],
    tamper: onText(/\/api\/settings\//, /^\{"value": (.*)\}$/, '$1'),
  },
  'unset-is-null': {
    breaks: ['settings/hosted-unset'],
    tamper: onReply(/^GET \/api\/settings\//, ({ status }) =>
      status === 404 ? { status: 200, body: '{"value": null}' } : {},
    ),
  },
  'user-waits': {
    breaks: ['settings/hosted-user'],
    tamper: onText(/^GET \/api\/user$/, 'active', 'waitlisted'),
  },
  'settings-are-shared': {
    breaks: ['settings/hosted-own'],
    tamper: stale(/^GET \/api\/settings$/),
  },
  'files-as-texts': {
    breaks: ['userdata/hosted-list', 'userdata/hosted-list-folder'],
    tamper: onJson(/^GET \/api\/userdata(\?|$)/, (files) =>
      Array.isArray(files) ? files.map(({ path }) => path) : files,
    ),
  },
  'files-list-created': {
    breaks: ['userdata/hosted-write', 'userdata/hosted-move'],
    tamper: onText(/^POST \/api\/userdata/, /\}$/, ',"created":1}'),
  },
  'file-by-its-type': {
    breaks: ['userdata/hosted-read'],
    tamper: onReply(/^GET \/api\/userdata\/[^?]*\.json/, () => ({
      headers: { 'Content-Type': 'application/json' },
    })),
  },
  'times-in-seconds': {
    breaks: ['userdata/hosted-times'],
    tamper: onText(/\/api\/userdata/, /"modified":(\d+)\d{3}/g, '"modified":$1'),
  },
  'user-data-refuses-in-json': {
    breaks: ['userdata/hosted-refusals', 'userdata/hosted-no-overwrite', 'userdata/hosted-delete'],
    tamper: onReply(/\/api\/userdata/, ({ status }) => (status < 400 ? {} : notFound)),
  },
}
