// The log lines about what the bounds of a gateway refuse: nobody who meets one over and over can write as much as they like.

import { limits } from '../../../spec/limits.ts'
import type { LogLine } from '../../gateway/log.ts'

type Refused = (address: string | undefined) => void

/** The log lines about what reaches no gateway: closed connections, and heads that take too long or are not HTTP. */
export function boundLines(onLog: ((line: LogLine) => void) | undefined): {
  readonly connection: Refused
  readonly head: Refused
  readonly request: Refused
} {
  const line =
    (bound: string, what: string): Refused =>
    (address) => {
      const text = address === undefined ? what : `${what} (from ${address})`
      onLog?.({ level: 'warning', kind: 'gateway', text, fields: { bound, address } })
    }
  return {
    connection: line('connections', 'connection refused: too many are open'),
    head: line('slow-head', 'request refused: its head takes too long'),
    request: line('http', 'request refused: it is not valid HTTP'),
  }
}

/** How long a bound stays silent after a line, in milliseconds. */
const SILENCE_MS = limits.refusalLines.value * 1000

export type LimitedLog = {
  /** Logs a line. One about a bound is only counted if another one about it was logged a short time ago. */
  readonly log: (line: LogLine) => void
  /** Logs what was only counted. */
  readonly end: () => void
}

/** A log with few lines about each bound [operations/refusal-lines]. */
export function limitLines(onLog: (line: LogLine) => void): LimitedLog {
  /** The number of lines that were left out, by the name of the bound, until the silence ends. */
  const silent = new Map<
    unknown,
    { count: number; last: LogLine; readonly timer: NodeJS.Timeout }
  >()
  const report = (bound: unknown): void => {
    const found = silent.get(bound)
    if (found === undefined) return
    clearTimeout(found.timer)
    silent.delete(bound)
    const { count, last } = found
    if (count === 0) return
    const text = `${last.text} (the last of ${count} more)`
    onLog({ ...last, text, fields: { ...last.fields, count } })
  }
  return {
    log: (line) => {
      const { bound } = line.fields
      if (bound === undefined) return onLog(line)
      const found = silent.get(bound)
      if (found !== undefined) {
        found.count++
        found.last = line
        return
      }
      const timer = setTimeout(() => report(bound), SILENCE_MS).unref()
      silent.set(bound, { count: 0, last: line, timer })
      onLog(line)
    },
    end: () => [...silent.keys()].forEach(report),
  }
}
