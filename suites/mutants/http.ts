// Wrong servers that mishandle every request: address, access, paths, bodies, the catalogue and the system.

import {
  answers,
  mapped,
  type Mutants,
  onData,
  onJson,
  onReply,
  onText,
  stale,
  without,
} from './tamper.ts'

const anything = /./
const textType = { 'Content-Type': 'text/plain; charset=utf-8' }

export const deployments: Mutants = {
  'listens-everywhere': { breaks: ['deployments/local-address'], options: { host: '0.0.0.0' } },
  'needs-prefix': {
    breaks: ['deployments/local-prefix'],
    tamper: answers(/^GET \/(queue|models)$/, 404),
  },
  'socket-renames-client': {
    breaks: ['deployments/local-socket', 'messages/sid'],
    tamper: onData('status', (data) => ('sid' in data ? { ...data, sid: 'client' } : data)),
  },
}

export const access: Mutants = {
  'asks-for-a-key': {
    breaks: ['access/local-without-key', 'access/bearer-token'],
    tamper: answers(/^GET \/queue$/, 401),
  },
  'refuses-unknown-token': {
    breaks: ['access/local-without-key'],
    tamper: answers(/token=nonsense/, 401),
  },
  'token-is-refused-in-query': {
    breaks: ['access/bearer-token'],
    tamper: answers(/[?&]token=tok/, 401),
  },
  'token-is-not-needed': {
    breaks: ['access/bearer-refusal'],
    tamper: onReply(anything, ({ status }) => ({ status: status === 401 ? 200 : status })),
  },
  'takes-no-partner-key': {
    breaks: ['access/partner-key-names'],
    tamper: onText(/^GET \/history/, '"status_str": "success"', '"status_str": "error"'),
  },
  'asks-for-no-partner-key': {
    breaks: ['access/partner-key-names', 'access/partner-key-missing'],
    tamper: onText(/^GET \/history/, '"status_str": "error"', '"status_str": "success"'),
  },
  'partner-key-is-another-error': {
    breaks: ['access/partner-key-missing'],
    tamper: onData('execution_error', (data) => ({ ...data, node_type: 'LoadImage' })),
  },
  'shows-partner-key': {
    breaks: ['access/partner-key-hidden'],
    options: { quirk: ['local.queue-shows-partner-key'] },
  },
  'shows-partner-key-in-history': {
    breaks: ['access/partner-key-hidden'],
    tamper: onText(/^GET \/history/, '"extra_pnginfo"', '"api_key_comfy_org": "", "extra_pnginfo"'),
  },
}

export const http: Mutants = {
  'json-as-text': {
    breaks: ['http/json-replies'],
    tamper: onReply(/^GET \/queue/, () => ({ headers: textType })),
  },
  'json-without-charset': {
    breaks: ['http/json-replies'],
    tamper: onReply(/^POST \/prompt/, ({ headers }) => ({
      headers: { ...headers, 'Content-Type': 'application/json' },
    })),
  },
  'json-broken': { breaks: ['http/json-replies'], tamper: onText(/^GET \/history/, /^\{/, '{,') },
  'asks-for-json-type': {
    breaks: ['http/json-without-type'],
    tamper: onReply(/^POST \/prompt/, (reply, { headers }) =>
      headers['content-type'] === 'text/plain' ? { status: 415 } : reply,
    ),
  },
  'ignores-text': { breaks: ['http/json-without-type'], tamper: stale(/^GET \/queue/) },
  'broken-json-is-400': { breaks: ['http/broken-json'], tamper: answers(/^POST \/free/, 400) },
  'broken-json-says-why': {
    breaks: ['http/broken-json'],
    tamper: onReply(/^POST \/queue/, ({ status }) => (status === 500 ? { body: 'No JSON.' } : {})),
  },
  'empty-has-a-type': {
    breaks: ['http/empty-replies'],
    tamper: onReply(/^POST \/free/, () => ({ headers: textType })),
  },
  'empty-is-204': { breaks: ['http/empty-replies'], tamper: answers(/^POST \/history/, 204) },
  'origin-is-ignored': {
    breaks: ['http/foreign-origin'],
    tamper: onReply(/^GET \/queue/, () => ({ status: 200 })),
  },
  'head-is-refused': { breaks: ['http/head'], tamper: answers(/^HEAD \/models/, 405) },
  'no-alias': { breaks: ['http/alias-below-api'], tamper: answers(/^GET \/api\/queue/, 404) },
  'options-only-where-known': {
    breaks: ['http/options'],
    tamper: answers(/^OPTIONS \/nowhere/, 404),
  },
  'unknown-path-is-a-page': {
    breaks: ['http/unknown-path'],
    tamper: answers(/^GET \/nowhere/, 200),
  },
  'wrong-method-is-404': { breaks: ['http/wrong-method'], tamper: answers(/^DELETE/, 404) },
  'wrong-method-lists-no-other': {
    breaks: ['http/wrong-method'],
    tamper: onReply(anything, ({ headers }) => ({ headers: without(headers, 'Allow') })),
  },
  'cors-lacks-methods': {
    breaks: ['http/cors-mode'],
    tamper: onReply(anything, ({ headers }) => ({
      headers: without(headers, 'Access-Control-Allow-Methods'),
    })),
  },
  'slash-counts-for-nothing': {
    breaks: ['http/trailing-slash'],
    tamper: answers(/^GET \/models\/$/, 200),
  },
}

export const catalog: Mutants = {
  'packs-of-others': {
    breaks: ['catalog/no-packs'],
    tamper: onJson(/^GET \/extensions/, () => ['/extensions/others/index.js']),
  },
  'types-without-inputs': {
    breaks: ['catalog/node-types'],
    tamper: onText(/^GET \/object_info$/, /"input": /g, '"inputs": '),
  },
  'types-round-numbers': {
    breaks: ['catalog/node-types'],
    tamper: onText(/^GET \/object_info$/, /18446744073709551615/g, '18446744073709552000'),
  },
  'types-lack-one': {
    breaks: ['catalog/node-types'],
    tamper: onJson(/^GET \/object_info$/, (types) => without(types, 'KSampler')),
  },
  'one-type-bare': {
    breaks: ['catalog/one-node-type'],
    tamper: onJson(/^GET \/object_info\//, (types) => Object.values(types)[0]),
  },
  'one-type-is-more': {
    breaks: ['catalog/one-node-type', 'catalog/unknown-node-type'],
    tamper: onJson(/^GET \/object_info\//, (types) => ({ ...types, SaveImage: {} })),
  },
  'output-nodes-unmarked': {
    breaks: ['catalog/node-type-fields'],
    tamper: onText(/^GET \/object_info$/, /"output_node": true/g, '"output_node": false'),
  },
  'folders-lack-one': {
    breaks: ['catalog/model-folders'],
    tamper: onJson(/^GET \/models$/, (folders: string[]) =>
      folders.filter((name) => name !== 'loras'),
    ),
  },
  'folders-as-objects': {
    breaks: ['catalog/model-folders'],
    tamper: onJson(/^GET \/models$/, (folders: string[]) => folders.map((name) => ({ name }))),
  },
  'models-as-objects': {
    breaks: ['catalog/models'],
    tamper: onJson(/^GET \/models\//, (models: string[]) => models.map((name) => ({ name }))),
  },
  'models-lack-one': {
    breaks: ['catalog/models'],
    tamper: onJson(/^GET \/models\//, (models: string[]) => models.slice(1)),
  },
  'unknown-folder-is-empty': {
    breaks: ['catalog/unknown-folder'],
    tamper: onReply(/^GET \/models\//, () => ({ status: 200 })),
  },
  'uploads-unlisted': {
    breaks: ['catalog/uploads-are-options'],
    tamper: stale(/^GET \/object_info\/LoadImage$/),
  },
}

const onStatistics = (change: (statistics: any) => unknown) => onJson(/^GET \/system_stats/, change)

export const system: Mutants = {
  'statistics-of-a-system': {
    breaks: ['system/statistics-os'],
    tamper: onStatistics((statistics) => ({
      ...statistics,
      system: { ...statistics.system, os: 'linux' },
    })),
  },
  'statistics-without-devices': {
    breaks: ['system/statistics', 'system/statistics-fields'],
    tamper: onStatistics((statistics) => ({ ...statistics, devices: [] })),
  },
  'statistics-without-version': {
    breaks: ['system/statistics', 'system/statistics-fields'],
    tamper: onStatistics(({ system, devices }) => ({
      system: without(system, 'comfyui_version'),
      devices,
    })),
  },
  'statistics-free-is-more-than-all': {
    breaks: ['system/statistics'],
    tamper: onStatistics(({ system, devices }) => ({
      system: { ...system, ram_free: system.ram_total + 1 },
      devices,
    })),
  },
  'statistics-as-texts': {
    breaks: ['system/statistics-fields'],
    tamper: onStatistics(({ system, devices }) => ({
      system: mapped(system, String),
      devices: devices.map((device: object) => mapped(device, String)),
    })),
  },
  'free-unknown': {
    breaks: ['system/free', 'system/free-reply'],
    tamper: answers(/^POST \/free/, 404),
  },
  'free-takes-all': { breaks: ['system/free'], tamper: answers(/^POST \/free/, 200) },
  'free-answers': {
    breaks: ['system/free-reply'],
    tamper: onReply(/^POST \/free/, () => ({ body: '{}' })),
  },
  'free-keeps-the-cache': {
    breaks: ['system/free-empties-cache'],
    tamper: onData('execution_cached', (data) => ({ ...data, nodes: ['1', '2'] })),
  },
  'features-of-another': {
    breaks: ['system/features'],
    tamper: onJson(/^GET \/features/, (flags) => ({ ...flags, max_upload_size: 1 })),
  },
  'home-is-kept': {
    breaks: ['system/home'],
    tamper: onReply(/^GET \/$/, ({ headers }) => ({ headers: without(headers, 'Cache-Control') })),
  },
  'length-without-running': {
    breaks: ['system/queue-length'],
    tamper: onText(/^GET \/prompt/, '"queue_remaining": 3', '"queue_remaining": 2'),
  },
}
