// What a message is about, as far as faults can name it: its type, its data and its node [faults/preview].

import type { FaultWhen } from '../../../spec/scenario/faults.ts'
import { isMatch } from '../../lib/match.ts'
import type { Effect } from '../../machine.ts'
import type { OutgoingMessage } from '../state/faults.ts'

type Data = Readonly<Record<string, unknown>>

export type Subject = {
  /** The type of a message, or `preview` or `text` for a frame. */
  readonly type: string
  /** The data of the message, or for a preview those of the progress message of its step. Read only on demand. */
  readonly data: () => Data
  /** The id of its node; undefined without one. */
  readonly node: () => unknown
}

export const isMessage = (effect: Effect): effect is OutgoingMessage =>
  effect.kind === 'send' || effect.kind === 'frame'

const prefix = '{"type": "'

/** The type of a message: every one starts with it. */
const typeOf = (text: string): string => text.slice(prefix.length, text.indexOf('"', prefix.length))

/** What the message at this index is about. */
export function subjectOf(effects: readonly Effect[], index: number): Subject {
  const message = effects[index] as OutgoingMessage
  if (message.kind === 'send') return textSubject(message.text)
  const { content } = message
  if (content.frame === 'text')
    return { type: 'text', data: () => ({}), node: () => content.node_id }
  if (content.frame === 'recorded')
    return Object.assign(textSubject(content.progress ?? '{}'), { type: 'preview' })
  // One with metadata precedes the progress message of its step, one without follows it.
  const isBefore = content.frame === 'previewWithMetadata'
  const near = isBefore ? effects.slice(index + 1) : effects.slice(0, index).toReversed()
  const progress = near.find((one) => one.kind === 'send' && typeOf(one.text) === 'progress')
  const { data, node } = textSubject(progress?.kind === 'send' ? progress.text : '{}')
  return { type: 'preview', data, node }
}

function textSubject(text: string): Subject {
  const data = (): Data => (JSON.parse(text) as { readonly data?: Data }).data ?? {}
  const node = (): unknown => {
    const { node, node_id } = data()
    return node ?? node_id
  }
  return { type: typeOf(text), data, node }
}

/** Whether a message is one that a fault names. */
export function matchesSubject({ message, data, node }: FaultWhen, subject: Subject): boolean {
  if (message !== '*' && message !== subject.type) return false
  if (node !== undefined && subject.node() !== node) return false
  return data === undefined || isMatch(subject.data(), data)
}
