// What the session for the inspector offers.

import type { Emulator, EmulatorOptions } from 'flowdouble'

export const options: EmulatorOptions
export function play(server: Emulator): Promise<() => void>
export const selected: string
