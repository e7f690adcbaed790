// The report of `--json`: one event in a line. It is also what other reports are made from later.

import type { CheckEvent } from '../events.ts'
import type { Report, Sink } from './report.ts'
import { clipped, hidden, oneLine } from './text.ts'

/** An event as a line. JSON escapes line ends; characters that a terminal would act on are escaped too. */
export const eventLine = (event: CheckEvent): string =>
  `${JSON.stringify(event).replace(hidden, escapeOf)}\n`

/** A character as JSON escapes it: some are two units. */
const escapeOf = (one: string): string =>
  one
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

export const ndjsonReport = (sink: Sink): Report => ({
  take: (event) => void sink.write(eventLine(event)),
  end: async () => {},
})

/** The kinds of events. */
const kinds: ReadonlySet<unknown> = new Set(['start', 'case', 'warning', 'end'])

/**
 * The events in a text that `--json` wrote. Kinds of events that a later version adds are left out. Throws an error that
 * names the line of what cannot be read.
 * @param file how errors name the text.
 */
export function readEvents(text: string, file: string): readonly CheckEvent[] {
  const events = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const event = readLine(line, `${file}:${index + 1}`)
    return kinds.has(event.event) ? [event] : []
  })
  const [first] = events
  if (first?.event !== 'start') throw new Error(`${file} does not begin with the event start.`)
  const { version } = first as { readonly version: unknown }
  if (version !== 1)
    throw new Error(
      `${file} has version ${oneLine(String(version))} of the events, and this command reads 1.`,
    )
  return events
}

function readLine(line: string, place: string): CheckEvent {
  try {
    const event = JSON.parse(line) as CheckEvent | null
    if (typeof event?.event === 'string') return event
  } catch {
    // The error below says it.
  }
  throw new Error(`${place} is not an event of flowdouble check: ${clipped(oneLine(line), 60)}`)
}
