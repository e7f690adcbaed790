// The options of what only local servers have: the node manager, a front end, and what came in 2026.

import type { OptionEntry, OptionTable } from './read.ts'

export const textOrNull = { type: ['string', 'null'], minLength: 1 } as const
export const onOrOff = { type: 'boolean' } as const

export const localOptions = {
  manager: {
    flag: 'manager',
    value: '',
    help: 'serve the paths of the node manager; it lists what you install and never downloads anything',
    on: 'local',
    bare: 'true',
    schema: onOrOff,
  },
  webRoot: {
    flag: 'web-root',
    value: 'DIR',
    help: 'directory with the static files of a front end, which / shows; endpoints come first',
    on: 'local',
    isPath: true,
    schema: textOrNull,
  },
  templates: {
    flag: 'templates',
    value: 'DIR',
    help: 'directory with workflow templates for the front end, served below /templates',
    on: 'local',
    isPath: true,
    schema: textOrNull,
  },
} as const satisfies Readonly<Record<string, OptionEntry>>

/** Those of local servers of 2026. */
export const laterOptions: OptionTable<'assets' | 'assetHashing' | 'featureFlag'> = {
  assets: {
    flag: 'assets',
    value: '',
    help: 'have assets, on a local server like comfyui-0.27 or later (default: only like comfyui-0.38)',
    on: 'local',
    bare: 'true',
    schema: onOrOff,
  },
  assetHashing: {
    flag: 'asset-hashing',
    value: '',
    help: 'hash the contents of all files for assets, not only those of uploads',
    on: 'local',
    bare: 'true',
    schema: onOrOff,
  },
  featureFlag: {
    flag: 'feature-flag',
    value: 'KEY[=VALUE]',
    help: 'flag that a local server like comfyui-0.27 or later also announces in GET /features; repeatable',
    on: 'local',
    many: true,
    schema: { type: 'array', items: { type: 'string', pattern: '^[^=]+(=.*)?$' } },
  },
}
