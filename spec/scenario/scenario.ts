// The scenario: one file that scripts a world, and the schema of that file.

import type { Schema } from '../language.ts'
import { fault } from './faults.ts'
import { gatewayScript } from './gateway.ts'
import { nodeRule } from './nodes.ts'
import { runRule } from './runs.ts'
import { start } from './start.ts'

/** A scenario file, apart from `world`, whose members are the options of the server (see emulator/options/table.ts). */
export const scenario = {
  type: 'object',
  additionalProperties: false,
  required: ['version'],
  properties: {
    $schema: { type: 'string' },
    version: { const: 1 },
    about: { type: 'string', description: 'one line: what happens, and what a good client does' },
    world: { type: 'object', description: 'options of the server, by the names of a config file' },
    start,
    runs: { type: 'array', items: runRule },
    nodes: { type: 'array', items: nodeRule },
    types: {
      type: 'object',
      description: 'additional node types, each in the form of its entry in GET /object_info',
    },
    faults: { type: 'array', items: fault },
    gateway: gatewayScript,
  },
} as const satisfies Schema
