// The report for people: a line of progress on a terminal, a line for each area, and at the end what is wrong, in full.
// It sets no timer: each event is a step of the progress.

import pc from 'picocolors'
import type { CheckEvent } from '../events.ts'
import { areaLine, closingText, openingText, progressText } from './console-text.ts'
import { withCauses } from './causes.ts'
import type { Report, Sink } from './report.ts'
import { type CaseEvent, summaryOf } from './summary.ts'

/** The required part of `process.stdout`. */
export type Terminal = Sink & { readonly isTTY?: boolean; readonly columns?: number }

type Environment = Readonly<Record<string, string | undefined>>

const eraseLine = '\r\u001b[2K'

/** Prints to `output`. Progress and colours only on a terminal that supports them; no colours with NO_COLOR. */
export function consoleReport(output: Terminal, env: Environment): Report {
  const isTerminal = output.isTTY === true && env['TERM'] !== 'dumb'
  const colors = pc.createColors(isTerminal && !env['NO_COLOR'])
  const events: CheckEvent[] = []
  const cases: CaseEvent[] = []
  let ofArea: CaseEvent[] = []
  let total = 0
  const line = (text: string) => output.write(isTerminal ? eraseLine + text : text)
  const endArea = () => {
    const [first] = ofArea
    const own = withCauses(cases).slice(cases.length - ofArea.length)
    if (first !== undefined) line(areaLine(first.area, own, colors))
    ofArea = []
  }
  const takeCase = (one: CaseEvent) => {
    if (one.area !== ofArea[0]?.area) endArea()
    ofArea.push(one)
    cases.push(one)
    // Terminals without a viewer report a width of 0.
    const width = (output.columns ?? 0) > 0 ? (output.columns ?? 0) : 80
    if (isTerminal) line(colors.dim(progressText(cases, total).slice(0, width - 1)))
  }
  return {
    take: (event) => {
      events.push(event)
      if (event.event === 'case') takeCase(event)
      if (event.event !== 'start') return
      total = event.cases
      line(openingText(summaryOf([event]), colors))
    },
    end: async () => {
      endArea()
      line(closingText(summaryOf(events), colors))
    },
  }
}
