// The named servers are complete: their options are valid, and each quirk that was observed at one is among its quirks.

import { describe, expect, test } from 'vitest'
import type { Quirk } from '../../../spec/language.ts'
import { quirks } from '../../../spec/index.ts'
import { type NamedServer, servers } from '../../../spec/truth/servers.ts'
import { completeGatewayOptions, completeOptions } from '../../../dist/emulator/internal.js'

/** How the source of a quirk names each server. */
const sources: Readonly<Record<keyof typeof servers, RegExp>> = {
  'comfyui-0.3.64': /^ComfyUI 0\.3\.64(;|$)/,
  'comfyui-0.27': /(^|; )ComfyUI 0\.27\.0$/,
  // They have those of the one before.
  'comfyui-0.33': /(^|; )ComfyUI 0\.27\.0$/,
  'comfyui-0.38': /(^|; )ComfyUI 0\.27\.0$/,
  'hermes-2026.07': /^reference gateway, (July )?2026$/,
}
const all: Readonly<Record<string, NamedServer>> = servers

describe.each(Object.entries(all))('%s', (name, { on, quirks: own, options }) => {
  test('has each quirk that was observed at it, and no other', () => {
    const seen = Object.entries<Quirk>(quirks)
      .filter(([, quirk]) => quirk.on.includes(on))
      .filter(([, { source }]) => sources[name as keyof typeof servers].test(source))
      .map(([id]) => id)
    expect([...own].sort()).toEqual(seen.sort())
  })

  test('has options that differ from the defaults, and are valid', () => {
    const complete = on === 'gateway' ? completeGatewayOptions : completeOptions
    const usual = complete({})
    expect(complete({ like: name })).toMatchObject({ ...usual, ...options, like: name, quirk: own })
    for (const [option, value] of Object.entries(options))
      expect(usual).not.toHaveProperty(option, value)
  })
})
