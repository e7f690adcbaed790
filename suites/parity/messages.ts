// Differences in messages: what they contain, and who receives them.

import { deep, onData, onListener, without } from './words.ts'
import {
  listener,
  type ReceivedByClient,
  isFor,
  type ClientView,
  meantBy,
  pathOf,
  type PlainReply,
} from '../model/client-view.ts'
import type { Difference } from './difference.ts'

/** The text of the notification with which each run begins. */
const hello = 'Your run has started.'

const notified = (message: any): readonly any[] =>
  message.type === 'execution_start'
    ? [message, { type: 'notification', data: { value: hello, prompt_id: message.data.prompt_id } }]
    : [message]

/** A message with the run that it is about: here that is always the running one. */
function naming(message: any, view: ClientView, at: number, all: readonly any[]): any {
  const { type, data } = message
  const isBare = (type === 'executing' || type === 'notification') && !('prompt_id' in data)
  if (!isBare) return message
  const before = all.slice(0, at).findLast((other) => other.data?.prompt_id !== undefined)
  const prompt_id = before?.data.prompt_id ?? view.running?.[1]
  return { type, data: { ...data, prompt_id } }
}

/** An exception in one of the words of hosted. */
const inWords = (exception_type: string): string =>
  /OutOfMemory|MemoryError/.test(exception_type) ? 'OOMError' : 'ValidationError'

function hostedError(data: any, view: ClientView): any {
  const outputs = view.runs.get(data.prompt_id)?.outputs
  const shown = data.executed.flatMap((id: string) =>
    outputs?.has(id) ? [[id, outputs.get(id)]] : [],
  )
  const exception_type = inWords(data.exception_type)
  return { ...data, exception_type, current_outputs: Object.fromEntries(shown) }
}

/** The end of a run as its history entry stores it, in the words of hosted. */
const keptError = (reply: PlainReply, view: ClientView): PlainReply => ({
  ...reply,
  body: deep(
    reply.body,
    ({ status_str }) => status_str === 'error',
    (status) => ({
      ...status,
      messages: status.messages.map(([type, data]: [string, any]) => [
        type,
        type === 'execution_error' ? hostedError(data, view) : data,
      ]),
    }),
  ),
})

const isVideo = (object: any): boolean => Array.isArray(object.videos)
const asVideo = (object: any) => ({ ...without(object, 'videos'), video: object.videos })

/** Whether these are the first messages of a client, which nobody else receives. */
const isHello = (messages: readonly any[]): boolean => messages[0]?.data?.sid !== undefined

export const messageDifferences: readonly Difference[] = [
  {
    id: 'clients do not own runs',
    from: ['workflows/hosted-client-id', 'messages/hosted-all-connections'],
    request: (request) =>
      isFor(request, 'POST', '/prompt')
        ? { ...request, json: { ...request.json, client_id: listener } }
        : undefined,
  },
  {
    id: 'no executing with null ends a run',
    from: ['messages/hosted-no-executing-null', 'messages/hosted-no-executing-null'],
    received: onListener((messages) =>
      messages.filter(({ type, data }) => type !== 'executing' || data.node !== null),
    ),
  },
  {
    id: 'messages name their run',
    from: ['messages/hosted-names-run', 'messages/hosted-reconnect'],
    received: onListener((messages, view) =>
      messages.map((message, at) => naming(message, view, at, messages)),
    ),
  },
  {
    id: 'a run notifies of its start',
    from: ['messages/notification', 'messages/hosted-one-notification'],
    received: onListener((messages) => messages.flatMap(notified)),
  },
  {
    id: 'the nodes of a progress_state include their types',
    from: ['messages/hosted-node-types'],
    received: onData('progress_state', (data, view) => {
      const graph = view.runs.get(data.prompt_id)?.item?.[2] ?? {}
      const nodes = Object.entries<any>(data.nodes).map(([id, node]) => [
        id,
        { ...node, class_type: graph[id]?.class_type },
      ])
      return { ...data, nodes: Object.fromEntries(nodes) }
    }),
  },
  {
    id: 'exceptions have six words, and include outputs',
    from: ['runs/exception-words', 'runs/other-failures'],
    received: onData('execution_error', hostedError),
    reply: (reply, request, view) =>
      pathOf(request).startsWith('/history') ? keptError(reply, view) : undefined,
  },
  {
    id: 'videos stand under another key',
    from: ['files/hosted-video', 'files/local-videos'],
    received: onListener((messages) => deep(messages, isVideo, asVideo)),
    reply: (reply) => ({ ...reply, body: deep(reply.body, isVideo, asVideo) }),
  },
  {
    id: 'a removed run is cancelled, and all removals are reported together',
    from: ['messages/hosted-early-cancel', 'queue/hosted-removed-is-cancelled'],
    received: onListener((messages, view, request) => {
      if (request === undefined || !isFor(request, 'POST', '/queue')) return undefined
      const gone = meantBy(view, request.json)
      const cancelled = gone.map((prompt_id) => ({
        type: 'execution_interrupted',
        data: { prompt_id, executed: [], timestamp: view.nowMs },
      }))
      return gone.length === 0 ? [] : [...cancelled, messages.at(-1)]
    }),
  },
  {
    id: 'every socket receives everything',
    from: ['messages/hosted-all-connections'],
    received: (received: ReceivedByClient) => {
      const all = received[listener] ?? []
      const receives = (own: readonly any[]): boolean => !isHello(all) || isHello(own)
      return Object.fromEntries(
        Object.entries(received).map(([client, own]) => [client, receives(own) ? all : []]),
      )
    },
  },
]
