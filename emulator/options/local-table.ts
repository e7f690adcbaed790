// The options of what only local servers have: the node manager and a front end.

import type { OptionEntry } from './read.ts'

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
