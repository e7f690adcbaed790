// The public entry point: start a server in this process, drive its clock, read its journal.

export { type EmulatorOptions, startEmulator } from './edge/node/server.ts'
export { replay } from './edge/node/replay.ts'
export { type ReplayOptionsInput as ReplayOptions, startReplay } from './edge/replay/start.ts'
export type { Replay } from './edge/replay/handle.ts'
export type * from './types.ts'
export type { Gateway, GatewayWorldInput as GatewayWorldOptions } from './edge/handles.ts'
export { type GatewayOptions, startGateway } from './edge/gateway/gateway.ts'
export type { Agent, Deliveries } from './options/gateway.ts'
export { type GatewayEntry, replayGateway } from './gateway/journal.ts'
export type { LogLine as GatewayLogLine } from './gateway/log.ts'
export type { AgentRun, Delivery, OutboxEntry } from './gateway/state/run.ts'
export type { GatewayEffect, GatewayInput, ScriptedFailure } from './gateway/state/inputs.ts'
