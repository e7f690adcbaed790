// The log of the server [internal/log*]: its latest lines, and the clients that receive each new one.

import { limits } from '../../../spec/limits.ts'
import { put, remove } from '../../lib/bounded.ts'
import { copyText } from '../../lib/json.ts'
import { send } from './sockets.ts'
import { timestamp } from './derived.ts'
import type { LogLine, Log, RunState, World } from '../state/world.ts'

/** Clients choose the ids of their runs: the log truncates longer ones. */
const MAX_ID = 200

const phrases = {
  started: 'has started',
  success: 'has succeeded',
  error: 'has failed',
  interrupted: 'was interrupted',
} as const

const logLineText = ({ prompt_id, state }: LogLine): string =>
  `Prompt ${prompt_id} ${phrases[state]}\n`

/** The lines that are kept, oldest first. */
export const latestLines = ({ lines }: Log): readonly LogLine[] => lines.slice(-limits.log.value)

/** The time of a line in the form of Python: UTC with microseconds, without a zone. */
const timeOf = ({ atMs }: LogLine): string => new Date(atMs).toISOString().replace('Z', '000')

/** A line as a client receives it, as JSON text. */
export const lineEntry = (line: LogLine): string =>
  `{"t": "${timeOf(line)}", "m": ${JSON.stringify(logLineText(line))}}`

/** A line as text, after its timestamp. */
export const lineText = (line: LogLine): string => `${timeOf(line)} - ${logLineText(line)}`

/** Subscribes a client to new lines, or unsubscribes it. */
export function subscribe({ state: { log } }: World, clientId: string, enabled: boolean): void {
  if (enabled) put(log.subscribers, clientId, true)
  else remove(log.subscribers, clientId)
}

/** Logs the begin or end of a run, and sends the line to subscribed clients. */
export function announce(world: World, prompt_id: string, state: RunState): void {
  world.effects.push({ kind: 'run', prompt_id, state })
  const { log } = world.state
  const id = prompt_id.length > MAX_ID ? copyText(prompt_id.slice(0, MAX_ID)) : prompt_id
  const line = { atMs: timestamp(world), prompt_id: id, state }
  log.lines.push(line)
  if (log.lines.length > 2 * limits.log.value) log.lines = log.lines.slice(-limits.log.value)
  if (log.subscribers.entries.size > 0) sendLine(world, line)
}

function sendLine(world: World, line: LogLine): void {
  const { subscribers } = world.state.log
  const sockets: number[] = []
  for (const clientId of subscribers.entries.keys()) {
    const socket = world.state.socketByClient.get(clientId)
    if (socket !== undefined) sockets.push(socket)
    // A client that disconnected has to subscribe again.
    else remove(subscribers, clientId)
  }
  send(world, sockets, 'logs', `{"entries": [${lineEntry(line)}], "size": null}`)
}
