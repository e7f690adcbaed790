// Creates emulators without a server, with the built-in node types that the bundle contains.

import { inflate } from '../../pictures/codecs/inflate.ts'
import { createEmulatorWith, type InProcessOptions } from './emulator.ts'
import type { InProcessEmulator } from './worlds.ts'

/** The built-in node types, deflated, in base64, and their size in bytes: the bundler replaces these names. */
declare const BUILT_IN_NODE_TYPES: string
declare const BUILT_IN_NODE_TYPES_BYTES: number

let types: string | undefined

function builtInTypes(): string {
  if (types === undefined) {
    const deflated = Uint8Array.from(atob(BUILT_IN_NODE_TYPES), (letter) => letter.charCodeAt(0))
    types = new TextDecoder().decode(inflate(deflated, BUILT_IN_NODE_TYPES_BYTES))
  }
  return types
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
  createEmulatorWith(options, builtInTypes)
