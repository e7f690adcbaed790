// Wrong servers that mishandle everything around runs: statistics, the node manager, the log, settings, pages.

import {
  answers,
  type Mutants,
  onData,
  onJson,
  onReply,
  onText,
  stale,
  without,
} from '../tamper.ts'

const onStatistics = (change: (statistics: any) => unknown) => onJson(/^GET \/system_stats/, change)

/** The value of a reply whose body is JSON text. */
const valueOf = ({ body }: { readonly body: unknown }): any => JSON.parse(String(body))

export const system: Mutants = {
  'statistics-of-a-system': {
    breaks: ['system/statistics-os'],
    tamper: onStatistics((statistics) => ({
      ...statistics,
      system: { ...statistics.system, os: 'linux' },
    })),
  },
  'statistics-free-is-more-than-all': {
    breaks: ['system/statistics'],
    tamper: onStatistics(({ system, devices }) => ({
      system: { ...system, ram_free: system.ram_total + 1 },
      devices,
    })),
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
  'flags-of-before': {
    breaks: ['system/feature-flags', 'system/own-flags'],
    tamper: onJson(/^GET \/features/, (flags) => without(flags, 'extension')),
  },
  'assets-are-announced': {
    breaks: ['system/feature-flags'],
    tamper: onJson(/^GET \/features/, (flags) => ({ ...flags, assets: flags.assets !== true })),
  },
  'flags-are-values': {
    breaks: ['system/own-flags'],
    tamper: onText(/^GET \/features/, '"bare": "true"', '"bare": true'),
  },
  'statistics-as-on-local': {
    breaks: ['system/statistics', 'system/hosted-statistics'],
    tamper: onJson(/^GET \/api\/system_stats/, ({ system }) => ({
      system: without(system, 'cloud_version', 'pytorch_version'),
      devices: [{ name: 'cuda', torch_vram_total: 0 }],
    })),
  },
  'hosted-features-of-another': {
    breaks: ['system/hosted-features'],
    tamper: onText(
      /^GET \/api\/features/,
      /"max_concurrent_jobs": \d+/,
      '"max_concurrent_jobs": 2',
    ),
  },
  'feedback-is-200': {
    breaks: ['system/hosted-feedback'],
    tamper: answers(/^POST \/api\/feedback/, 200),
  },
}

export const settings: Mutants = {
  'settings-answer-nothing': {
    breaks: ['settings/hosted-merge', 'settings/hosted-text'],
    tamper: onReply(/^POST \/api\/settings$/, () => ({ body: '' })),
  },
  'setting-is-bare': {
    breaks: ['settings/hosted-one'],
    tamper: onText(/\/api\/settings\//, /^\{"value": (.*)\}$/, '$1'),
  },
  'settings-are-shared': {
    breaks: ['settings/hosted-own'],
    tamper: stale(/^GET \/api\/settings$/),
  },
  'merge-replaces': {
    breaks: ['settings/merge'],
    tamper: onJson(/^GET \/settings$/, (settings) =>
      Object.fromEntries(Object.entries(settings).slice(-1)),
    ),
  },
  'merge-answers': {
    breaks: ['settings/merge'],
    tamper: onReply(/^POST \/settings$/, () => ({ body: '{}' })),
  },
  'one-through-javascript': {
    breaks: ['settings/one'],
    tamper: onReply(/^GET \/settings\//, (reply) => ({ body: JSON.stringify(valueOf(reply)) })),
  },
}

export const manager: Mutants = {
  'model-stays-unlisted': {
    breaks: ['manager/install-model', 'manager/installed-model-listed'],
    tamper: stale(/^GET \/models/),
  },
  'status-stands-still': {
    breaks: ['manager/status', 'manager/status-counts'],
    tamper: stale(/^GET \/manager/),
  },
}

export const internal: Mutants = {
  'log-of-other-words': {
    breaks: ['internal/log'],
    tamper: onText(/^GET \/internal\/logs/, /has succeeded/g, 'is over'),
  },
  'log-as-lines': {
    breaks: ['internal/log-text'],
    tamper: onReply(/^GET \/internal\/logs$/, (reply) => ({ body: valueOf(reply) })),
  },
  'alias-for-all': {
    breaks: ['internal/no-alias'],
    tamper: answers(/^GET \/api\/internal/, 200),
  },
  'files-without-folder': {
    breaks: ['internal/files-annotated'],
    tamper: onText(/^GET \/internal\/files/, / \[\w+\]/g, ''),
  },
}

export const pages: Mutants = {
  'no-front-end': {
    breaks: [
      'pages/front-end',
      'pages/media-types',
      'pages/conditions',
      'pages/folder',
      'pages/not-recorded',
    ],
    options: { webRoot: null },
  },
  'no-templates': { breaks: ['pages/templates'], options: { templates: null } },
  'needs-no-token': { breaks: ['pages/access'], options: { token: null } },
  'lists-no-scripts': {
    breaks: ['pages/scripts'],
    tamper: onJson(/^GET \/extensions$/, () => []),
  },
}
