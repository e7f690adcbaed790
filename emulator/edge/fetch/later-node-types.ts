// The node types of later generations: few pages load this file. The server on Node reads what the bundler makes of it.

/** The text of spec/later-node-types.json: deflated, in base64, with its size in bytes. The bundler replaces this name. */
declare const LATER_NODE_TYPES: readonly [deflated: string, bytes: number]

export const laterNodeTypes = LATER_NODE_TYPES
