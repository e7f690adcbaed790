// Writes the JSON Schema of the block of the gateway in config.yaml, from the table of its settings.

import { ownSchemeSchema } from '../../spec/gateway/signatures.ts'
import {
  type GatewaySetting,
  gatewaySettings,
  webhookRoute,
} from '../../spec/gateway/subscriptions.ts'
import type { Schema } from '../../spec/language.ts'

const types = { boolean: 'boolean', integer: 'integer', text: 'string', object: 'object' } as const

/** The schemas of settings that are more than a value. */
const inside: Readonly<Record<string, Schema>> = {
  routes: { additionalProperties: { ...webhookRoute, additionalProperties: false } },
  schemes: { additionalProperties: ownSchemeSchema },
}

type Block = { type: 'object'; additionalProperties?: false; properties: Record<string, unknown> }

const emptyBlock = (): Block => ({ type: 'object', properties: {} })

/** The schema of config.yaml, whose other blocks it leaves alone. */
export function gatewayConfigSchema(): Schema {
  const root = emptyBlock()
  for (const [name, { key, type, default: usual }] of Object.entries<GatewaySetting>(
    gatewaySettings,
  )) {
    const path = key.split('.')
    let block = root
    for (const part of path.slice(0, -1)) {
      block.properties[part] ??= emptyBlock()
      block = block.properties[part] as Block
      // The blocks of the gateway have no other members.
      if (part === 'webhook' || part === 'extra') block.additionalProperties = false
    }
    block.properties[path.at(-1) ?? ''] = {
      type: types[type],
      ...inside[name],
      ...(usual !== null && { default: usual }),
    }
  }
  return {
    title: 'The webhook gateway in config.yaml',
    ...root,
  }
}
