// The report of `--json`: one event in a line. It is also what other reports are made from later.

import { type CheckEvent, eventSchemas } from '../events.ts'
import { violations } from '../../judge/judge.ts'
import type { Report, Sink } from './report.ts'
import { clipped, hidden, oneLine } from '../output/text.ts'

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

/**
 * The events in a text that `--json` wrote. Kinds of events that a later version adds are left out. Throws an error that
 * names the line of what cannot be read.
 * @param file how errors name the text.
 */
export function readEvents(text: string, file: string): readonly CheckEvent[] {
  const events: CheckEvent[] = []
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    const at = `${file}:${index + 1}`
    const event = readLine(line, at)
    if (events.length === 0) expectStart(event, file)
    const problem = isKnown(event.event) ? problemIn(event) : undefined
    if (problem !== undefined)
      throw new Error(`${at} is not an event ${event.event}: ${clipped(oneLine(problem), 200)}.`)
    if (isKnown(event.event)) events.push(event)
  }
  if (events.length === 0) throw new Error(`${file} does not begin with the event start.`)
  return events
}

/**
 * The events of one check from its start to its end. Throws an error if some are missing, as in a file that was cut off.
 * @param file how errors name the text.
 */
export function readCheck(text: string, file: string): readonly CheckEvent[] {
  const events = readEvents(text, file)
  const ends = events.flatMap((one, index) => (one.event === 'end' ? [{ ...one, index }] : []))
  const [end] = ends
  if (end === undefined)
    throw new Error(
      `${file} is not complete: it has no event end. The check still runs, or was killed.`,
    )
  if (events.slice(end.index + 1).some(({ event }) => event === 'start'))
    throw new Error(`${file} has several checks: write each to a separate file.`)
  const counted = Object.values(end.counts).reduce((sum, count) => sum + count, 0)
  const cases = events.filter(({ event }) => event === 'case').length
  if (counted !== cases)
    throw new Error(
      `${file} is not complete: it has ${cases} cases, and its event end counts ${counted}.`,
    )
  return events
}

/** Whether events of this name are known. */
const isKnown = (event: string): event is CheckEvent['event'] => Object.hasOwn(eventSchemas, event)

/** What is wrong with an event, in a few words; undefined if nothing is. */
const problemIn = (event: CheckEvent): string | undefined =>
  violations(eventSchemas[event.event], event)[0]
    ?.replace(/^value /, '')
    .replace(/^\/\S+/, (path) => path.slice(1).replaceAll('/', '.'))

function expectStart(event: CheckEvent, file: string): void {
  if (event.event !== 'start') throw new Error(`${file} does not begin with the event start.`)
  const { version } = event as { readonly version: unknown }
  if (version !== 1)
    throw new Error(
      `${file} has version ${oneLine(String(version))} of the events, and this command reads 1.`,
    )
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
