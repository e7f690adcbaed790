// What all reports have in common: they take the events of a check one by one, and write to a sink.

import type { CheckEvent } from '../events.ts'

export type Report = {
  readonly take: (event: CheckEvent) => void
  /** Writes what is left. The events can end early, when the user stops the check. */
  readonly end: () => Promise<void>
}

/** Where a report goes: a stream, or a file that is written as a whole. */
export type Sink = { readonly write: (text: string) => unknown }

/** The text of a report on one check or on several, each given by its events. */
export type Render = (streams: readonly (readonly CheckEvent[])[]) => string

/** A report on one check that is written as a whole when the events end. */
export function wholeReport(render: Render, sink: Sink): Report {
  const events: CheckEvent[] = []
  return {
    take: (event) => void events.push(event),
    end: async () => {
      await sink.write(render([events]))
    },
  }
}
