// Writes messages as short lines, so that a case can compare a whole sequence.

import { isMessage, type ReceivedItem } from '../judge/client.ts'
import type { Message } from '../judge/judge.ts'

/**
 * One line per message: its type and its subject. The nodes of a progress_state appear as `id state value/max`, a frame
 * as the name of its layout.
 */
export const transcript = (received: readonly ReceivedItem[]): string[] =>
  received.map((item) => (isMessage(item) ? line(item) : item.frame))

function line({ type, data }: Message): string {
  const about = aboutOf(type, data)
  return about === '' ? type : `${type} ${about}`
}

function aboutOf(type: string, data: Message['data']): string {
  if (type === 'status') return `${(data['status'] as Status).exec_info.queue_remaining}`
  if (type === 'execution_cached') return (data['nodes'] as string[]).join(' ')
  if (type === 'executing' || type === 'executed') return String(data['node'])
  if (type === 'progress') return `${String(data['node'])} ${ratio(data)}`
  if (type === 'progress_state') {
    const nodes = Object.entries(data['nodes'] as Readonly<Record<string, Message['data']>>)
    return nodes.map(([id, node]) => `${id} ${String(node['state'])} ${ratio(node)}`).join(', ')
  }
  if (type === 'execution_error' || type === 'execution_interrupted') return String(data['node_id'])
  return ''
}

type Status = { readonly exec_info: { readonly queue_remaining: number } }

const ratio = (progress: Message['data']): string =>
  `${String(progress['value'])}/${String(progress['max'])}`

/** The nodes that the messages of a type name, in order. */
export const nodesOf = (type: 'executing' | 'executed', messages: readonly Message[]): unknown[] =>
  messages
    .filter(({ type: own, data }) => own === type && data['node'] !== null)
    .map(({ data }) => data['node'])

/** The data of the messages of a type, in order. */
export const dataOf = (type: string, messages: readonly Message[]): readonly Message['data'][] =>
  messages.filter((message) => message.type === type).map(({ data }) => data)

/** The types of messages, in order. */
export const typesOf = (messages: readonly Message[]): readonly string[] =>
  messages.map(({ type }) => type)
