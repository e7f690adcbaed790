// The public entry point for msw: an emulator in this page or process, and the handlers that lead to it.

export { createEmulator } from './edge/fetch/create.ts'
export { mswHandlers } from './edge/fetch/msw.ts'
export type { InProcessOptions } from './edge/fetch/emulator.ts'
export type { InProcessEmulator } from './edge/fetch/worlds.ts'
export type * from './types.ts'
