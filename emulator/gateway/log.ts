// The log lines of a gateway: one for each post, run and delivery among the effects of a step, without secrets.

import { retryCommand } from '../../spec/gateway/deliveries.ts'
import type { GatewayEffect, PostEffect } from './state/inputs.ts'
import type { AgentRun } from './state/run.ts'
import type { Origin } from './post/origin.ts'
import { keeps } from './state/keep.ts'
import { redact } from './state/redact-secrets.ts'
import type { GatewayState, GatewayWorld } from './state/state.ts'

export type LogLine = {
  readonly level: 'info' | 'warning' | 'error'
  readonly kind: 'post' | 'run' | 'delivery' | 'gateway'
  /** The name of a gateway below /w/NAME; absent for the one at the root. */
  readonly world?: string
  /** The line as text. */
  readonly text: string
  /** The same as data. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** Adds a log line, without any secret of a route [signatures/hidden]. */
export function log(
  world: GatewayWorld,
  level: Extract<GatewayEffect, { kind: 'log' }>['level'],
  line: string,
  fields?: LogLine['fields'],
): void {
  const effect = { kind: 'log', level, text: redact(world.state, line) } as const
  world.effects.push(fields === undefined ? effect : Object.assign(effect, { fields }))
}

/** Where a refused request comes from, as the end of its line. */
export function originText(from: Origin | undefined): string {
  if (from === undefined) return ''
  const { address, forwarded_for } = from
  return forwarded_for === null
    ? ` (from ${address})`
    : ` (from ${address}, forwarded for ${word(forwarded_for)})`
}

/** The log lines for the effects of a step. */
export function logLines(
  world: GatewayWorld,
  effects: readonly GatewayEffect[],
): readonly LogLine[] {
  const lines: LogLine[] = []
  for (const effect of effects) {
    const line = logLine(effect, keeps(world))
    if (line !== undefined) lines.push(redacted(world.state, line))
  }
  return lines
}

/** @param isKept whether runs are stored, so that they can be retried. */
function logLine(effect: GatewayEffect, isKept: boolean): LogLine | undefined {
  switch (effect.kind) {
    case 'post':
      return postLine(effect)
    case 'run':
      return effect.run.status === 'running' ? undefined : runLine(effect.run)
    case 'outbox':
      return deliveryLine(effect, isKept)
    case 'log':
      return {
        level: effect.level,
        kind: 'gateway',
        text: effect.text,
        fields: effect.fields ?? {},
      }
    default:
      return undefined
  }
}

function postLine(post: PostEffect): LogLine {
  const { route, event, delivery_id, verdict, reason, bound, from } = post
  const words = ['post', word(route)]
  if (event !== null) words.push(word(event))
  if (delivery_id !== null) words.push(word(delivery_id))
  words.push(verdict)
  const text = words.join(' ') + (reason === null ? '' : `: ${reason}${originText(from)}`)
  const level = reason === null ? 'info' : 'warning'
  const fields = { route, event, delivery_id, verdict, reason, ...from, ...(bound && { bound }) }
  return { level, kind: 'post', text, fields }
}

function runLine({ route, event, delivery_id, status, is_silent, error }: AgentRun): LogLine {
  const ending = is_silent ? `${status}, nothing to deliver` : status
  const text = `run ${word(route)} ${word(delivery_id)} ${ending}${error === null ? '' : `: ${error}`}`
  const fields = { route, event, delivery_id, status, is_silent, error }
  return { level: error === null ? 'info' : 'error', kind: 'run', text, fields }
}

function deliveryLine(
  { entry, outcome, nextMs }: Extract<GatewayEffect, { kind: 'outbox' }>,
  isKept: boolean,
): LogLine {
  const { route, event, delivery_id, target, chat_id, part, parts, attempt, status, error } = entry
  const pauseMs = nextMs === null ? 0 : nextMs - entry.timestamp
  const to = chat_id === null ? word(target) : `${word(target)}:${word(chat_id)}`
  const again = attempt === 1 ? '' : ` (attempt ${attempt})`
  const isDead = outcome === 'dead'
  const ending = error === null ? status : `${isDead ? 'is dead' : status}: ${error}`
  const next = pauseMs > 0 ? `; next in ${Math.ceil(pauseMs / 1000)} s` : ''
  const advice = isDead && isKept ? `; to send it again: ${retryCommand} ${word(delivery_id)}` : ''
  const which = parts === 1 ? '' : ` (part ${part} of ${parts})`
  const text = `delivery ${word(route)} ${word(delivery_id)} to ${to}${which} ${ending}${again}${next}${advice}`
  const fields = {
    route,
    event,
    delivery_id,
    target,
    chat_id,
    part,
    parts,
    attempt,
    status,
    error,
    outcome,
  }
  const level = error === null ? 'info' : outcome === 'retried' ? 'warning' : 'error'
  return { level, kind: 'delivery', text, fields }
}

/** How much of a value a line contains. */
const MAX_WORD = 200

/** A value from a sender as one word; quoted if it could be mistaken for something else. */
function word(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const part = text.slice(0, MAX_WORD)
  return /^[\w.:/@+-]+$/.test(part) ? part : JSON.stringify(part)
}

const redacted = (state: Pick<GatewayState, 'secrets'>, line: LogLine): LogLine => ({
  level: line.level,
  kind: line.kind,
  text: redact(state, line.text),
  fields: redactedValue(state, line.fields) as LogLine['fields'],
})

function redactedValue(state: Pick<GatewayState, 'secrets'>, value: unknown): unknown {
  if (typeof value === 'string') return redact(state, value)
  if (Array.isArray(value)) return value.map((item) => redactedValue(state, item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      redact(state, name),
      redactedValue(state, member),
    ]),
  )
}
