// Messages: what a server sends on its sockets besides its own messages, as extensions do, and when.

import { type Rules, chosen } from '../language.ts'
import type { Static } from '../static.ts'
import { anyObject, closed, name, oneOf, optional } from '../schema.ts'
import { nodeRule, scenarioFile } from './nodes.ts'

const { class_type, node_id, run, user } = nodeRule.properties

/** A binary frame: its event in 4 bytes, and the payload. */
const scriptedFrame = closed({
  event: { type: 'integer', minimum: 0, maximum: 2 ** 32 - 1, description: 'its first 4 bytes' },
  text: optional(scenarioFile.properties.text),
  base64: optional(scenarioFile.properties.base64),
  from: optional(scenarioFile.properties.from),
})

/** One message rule: when it is sent, to whom, and what. Each rule applies. */
export const messageRule = closed({
  about: optional({ ...name, description: 'a note for readers' }),
  everyMs: optional({
    type: 'integer',
    minimum: 1,
    maximum: 86_400_000,
    description: 'at each multiple of this time since the start, as long as a client is connected',
  }),
  at: optional({
    ...oneOf('socket-open', 'node-start', 'node-step', 'node-end'),
    description: 'when a socket has opened; or when a node starts, has done a step, or ends',
  }),
  class_type: optional(class_type),
  node_id: optional(node_id),
  run: optional(run),
  user: optional({ ...user, description: 'only in the world of this account (hosted)' }),
  to: optional({
    ...oneOf('everyone', 'client'),
    description:
      'all clients, or the one that has opened the socket or submitted the run; by default those of everyMs go to all, others to the one',
  }),
  type: optional({ ...name, description: 'the type of a JSON message' }),
  data: optional({
    ...anyObject,
    description: 'its data; {prompt_id} and {node} in texts stand for the ids at a node',
  }),
  frame: optional({ ...scriptedFrame, description: 'a binary frame instead' }),
})

export type MessageRule = Static<typeof messageRule>

export const rules = {
  ...chosen.both({
    'scenario/message-every':
      'A message with `everyMs` is sent at each multiple of it since the start, to all clients.',
    'scenario/message-every-idle':
      'Timers of messages are set only while a client is connected; a clock until idle ignores them.',
    'scenario/message-every-rest':
      'After 100,000 messages by timers without an input, these timers rest until the next input.',
    'scenario/message-socket':
      'A message at `socket-open` follows what the server sends to a socket that opens.',
    'scenario/message-node':
      'Messages at a node follow its `executing` and each `progress`, and precede its `executed`.',
    'scenario/message-choice':
      'A message at nodes can be limited to a type, id, run or account; all that apply are sent.',
    'scenario/message-to':
      'A message goes to all clients or to one: that of the socket, or of the run, as `progress` does.',
    'scenario/message-ids':
      'In texts of data, {prompt_id} and {node} are the ids of the run and of the node.',
    'scenario/message-frame':
      'A frame of a rule has its event in 4 bytes, big-endian, and then its payload.',
    'scenario/message-faults': 'Faults apply to messages of a scenario, and can name their types.',
  }),
} as const satisfies Rules
