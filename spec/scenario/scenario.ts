// The scenario: one file that scripts a world, and the schema of that file.

import { type AnswerRule, answer } from './answers.ts'
import { type Fault, fault } from './faults.ts'
import { gatewayScript } from './gateway.ts'
import { type MessageRule, messageRule } from './messages.ts'
import { type ModelRule, modelRule, type ModelType, modelTypes } from './models.ts'
import { type NodeRule, nodeRule } from './nodes.ts'
import { type RunRule, runRule } from './runs.ts'
import { type Start, start } from './start.ts'
import { closed, list, optional, text } from '../schema.ts'

/** A scenario file, apart from `world`, whose members are the options of the server (see emulator/options/table.ts). */
export const scenario = closed({
  $schema: optional(text),
  version: { const: 1 },
  about: optional({
    type: 'string',
    description: 'one line: what happens, and what a good client does',
  }),
  world: optional({
    type: 'object',
    description: 'options of the server, by the names of a config file',
  }),
  start: optional(start),
  runs: optional(list(runRule)),
  nodes: optional(list(nodeRule)),
  types: optional({
    type: 'object',
    description: 'additional node types, each in the form of its entry in GET /object_info',
  }),
  modelTypes: optional(modelTypes),
  models: optional({
    ...list(modelRule),
    description: 'rules for calls of models of the Router (hosted)',
  }),
  answers: optional({
    ...list(answer),
    description: 'routes of extensions, and what they reply; the first one that matches replies',
  }),
  messages: optional({
    ...list(messageRule),
    description: 'messages and frames that extensions send, and when',
  }),
  faults: optional(list(fault)),
  gateway: optional(gatewayScript),
})

/** What a scenario says of a server. It is part of the server's options; the contents of files stand in it. */
export type Script = {
  readonly start: Start
  readonly runs: RunRule[]
  readonly nodes: NodeRule[]
  readonly faults: Fault[]
  /** Absent in journals of earlier versions, like the messages. */
  readonly answers?: AnswerRule[]
  readonly messages?: MessageRule[]
  readonly models?: ModelRule[]
  readonly modelTypes?: Readonly<Record<string, ModelType>>
}

/** A change of the script while the server runs: rules, answers, messages and faults are replaced, or one fault is added or removed. */
export type ScriptChange =
  | { readonly load: Omit<Script, 'start'> }
  | { readonly add: Fault }
  | { readonly remove: string }
