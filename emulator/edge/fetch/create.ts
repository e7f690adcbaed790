// Creates emulators without a server, with the built-in node types that the bundle contains.

import { inflate } from '../../pictures/codecs/inflate.ts'
import type { BuiltInTypes } from './content.ts'
import { createEmulatorWith, type InProcessOptions } from './emulator.ts'
import type { InProcessEmulator } from './worlds.ts'

/** The text of spec/node-types.json: deflated, in base64, with its size in bytes. The bundler replaces this name. */
declare const BUILT_IN_NODE_TYPES: readonly [deflated: string, bytes: number]

const textOf = ([deflated, bytes]: typeof BUILT_IN_NODE_TYPES): string =>
  new TextDecoder().decode(
    inflate(
      Uint8Array.from(atob(deflated), (letter) => letter.charCodeAt(0)),
      bytes,
    ),
  )

let types: string | undefined

/** The built-in node types; those of later generations are loaded where a world needs them. */
export const bundledTypes: BuiltInTypes = {
  builtIn: () => (types ??= textOf(BUILT_IN_NODE_TYPES)),
  later: async () => textOf((await import('./later-node-types.ts')).laterNodeTypes),
}

/**
 * Creates an emulator in this page or process, without a server. Throws a usage error for invalid options, and for those
 * that need a network or a disk.
 * @example
 * import assert from 'node:assert'
 * import { createEmulator, install } from 'flowdouble/browser'
 *
 * const emulator = await createEmulator({ url: 'http://127.0.0.1:8188', clock: 'manual' })
 * const uninstall = install(emulator)
 * const stats = await (await fetch('http://127.0.0.1:8188/system_stats')).json()
 * assert.equal(stats.devices.length, 1)
 * uninstall()
 * await emulator.close()
 */
export const createEmulator = (options: InProcessOptions = {}): Promise<InProcessEmulator> =>
  createEmulatorWith(options, bundledTypes)
