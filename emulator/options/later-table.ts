// The options of local servers of 2026: a part of the option table.

import type { OptionTable } from './read.ts'

const onOrOff = { type: 'boolean' } as const

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
