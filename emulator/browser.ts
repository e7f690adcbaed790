// The public entry point for pages and workers: an emulator without a server, behind their own fetch and WebSocket.

export { createEmulator } from './edge/fetch/create.ts'
export { install } from './edge/fetch/install.ts'
export type { InProcessOptions } from './edge/fetch/emulator.ts'
export type { InProcessEmulator } from './edge/fetch/worlds.ts'
export type * from './types.ts'
