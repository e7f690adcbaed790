// Displays a run: a progress bar on a terminal, a line for each finished node
// elsewhere.

import pc from 'picocolors'
import { printable } from './terminal-text.ts'
import { finishedLine, progressLine } from './progress.ts'
import type { RunEvent } from './run.ts'

/** The required part of `process.stdout` and `process.stderr`. */
export type Output = {
  readonly write: (text: string) => unknown
  readonly isTTY?: boolean
  readonly columns?: number
  /** Bytes that were written but not read yet. */
  readonly writableLength?: number
}

type Display = {
  readonly show: (event: RunEvent) => void
  /** Removes the current bar. */
  readonly end: () => void
}

const eraseLine = '\r\u001b[2K'

/**
 * A display that writes to `output`. With `isQuiet`, only warnings. Bars and colours only on a
 * terminal that supports them; no colours with NO_COLOR.
 */
export function newDisplay(
  output: Output,
  options: {
    readonly isQuiet: boolean
    readonly env: Readonly<Record<string, string | undefined>>
  },
): Display {
  const isTerminal = output.isTTY === true && options.env['TERM'] !== 'dumb'
  const colors = pc.createColors(isTerminal && !options.env['NO_COLOR'])
  let hasBar = false
  const end = () => {
    if (hasBar) output.write(eraseLine)
    hasBar = false
  }
  const line = (text: string) => {
    end()
    output.write(`${text}\n`)
  }
  const bar = (event: RunEvent & { kind: 'node' }) => {
    const text = printable(progressLine(event, widthOf(output) - 1))
    if (event.state === 'finished') return line(colors.green(text))
    output.write(eraseLine + colors.cyan(text))
    hasBar = true
  }
  const show = (event: RunEvent) => {
    if (event.kind === 'warning') return line(colors.yellow(printable(`warning: ${event.text}`)))
    if (options.isQuiet) return
    if (event.kind === 'node' && isTerminal) return bar(event)
    const text = eventLine(event)
    if (text !== undefined) line(colors.dim(printable(text)))
  }
  return { show, end }
}

function eventLine(event: RunEvent): string | undefined {
  if (event.kind === 'node') return event.state === 'finished' ? finishedLine(event) : undefined
  if (event.kind === 'uploaded') return `uploaded ${event.file} as ${event.name}`
  if (event.kind === 'submitted') return `submitted ${event.prompt_id}`
  if (event.kind === 'cached') return `cached ${event.nodes.join(', ')}`
  return event.kind === 'hint' ? event.text : undefined
}

/** Terminals without a viewer, as on build machines, report a width of 0. */
const widthOf = ({ columns = 0 }: { readonly columns?: number }): number =>
  columns > 0 ? columns : 80
