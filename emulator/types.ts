// The types that the public entry points share: scenarios and their parts, handles, and what they return.

export type { ScenarioInput as Scenario } from './options/scenario.ts'
export type { AnswerRule } from '../spec/scenario/answers.ts'
export type { Fault, FaultThen, FaultWhen } from '../spec/scenario/faults.ts'
export type { GatewayScript } from '../spec/scenario/gateway.ts'
export type { MessageRule } from '../spec/scenario/messages.ts'
export type { NodeRule } from '../spec/scenario/nodes.ts'
export type { RunRule } from '../spec/scenario/runs.ts'
export type { Start } from '../spec/scenario/start.ts'
export type { MessageType } from '../spec/server/messages.ts'
export type {
  ActiveFault,
  Emulator,
  FaultHandle,
  MessageData,
  RunState,
  WaitLimit,
  WorldOptionsInput as WorldOptions,
} from './edge/handles.ts'
export type {
  Expectation,
  ReceivedRequest,
  RequestFilter,
  RunView,
  SentFrame,
  SocketMessage,
  Verification,
} from './journal/received.ts'
export type { Effect, Entry, FrameContent, Input, SocketEnd } from './machine.ts'
export type { Clock, ServerOptions } from './options/server-options.ts'
