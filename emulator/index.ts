// The public entry: start a server in this process, drive its clock, read its journal.

export { type Emulator, type EmulatorOptions, startEmulator } from './edge/node.ts'
export { replay } from './edge/replay.ts'
export type { Entry } from './journal.ts'
export type { Effect, FrameContent, Input } from './machine.ts'
export type { Clock, ServerOptions } from './options.ts'
export { type Gateway, startGateway } from './edge/gateway.ts'
export type { Agent, Deliveries, GatewayOptions } from './edge/gateway-options.ts'
export { type ReceiverEntry, replayGateway } from './receiver/journal.ts'
export type {
  AgentRun,
  Delivery,
  OutboxEntry,
  ReceiverEffect,
  ReceiverInput,
  ScriptedFailure,
} from './receiver/machine.ts'
