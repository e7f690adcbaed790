// The reading of sessions, for those who judge servers: they share it with the emulator, and nothing that decides.

export { findEndpoint, pathOn, plainPath } from './endpoints.ts'
export { responseHeader, type TracedExchange } from './exchanges.ts'
export { type DecodedFrame, decodeFrame } from './frames.ts'
export { isMembers, jsonIn, pythonJson } from '../lib/loose.ts'
export { headerOf, lacksMessages, playedFaults } from './recording.ts'
export { listedIn } from './listings.ts'
export {
  acceptedId,
  endsRun,
  entriesIn,
  type Listed,
  type RunMessages,
  type TracedRun,
} from './runs.ts'
export type { Item, Message, TracedSocket } from './sockets.ts'
export { type Trace, traceAt, traceOf, type TypedMessage } from './trace.ts'
