// The annotations of a workflow run on GitHub, which shows at most ten of each level for a step: the outcome first, then the
// broken rules, and the stale entries of a baseline at their lines.

import type { CheckEvent } from '../events.ts'
import { clipped, visible } from '../output/text.ts'
import { briefOf } from './failure-parts.ts'
import { namesOf, outcomeOf, summaryOf, withMark } from './summary.ts'

/** An annotation as the shared writer takes it. */
export type Annotation = {
  readonly level: 'error' | 'warning' | 'notice'
  readonly title: string
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly message: string
}

/** The longest message. */
const MAX_TEXT = 2000

export function annotationsOf(events: readonly CheckEvent[]): readonly Annotation[] {
  const summary = summaryOf(events)
  const { exitCode, words, sentence } = outcomeOf(summary)
  const { cases } = summary
  const title = 'flowdouble check'
  const found: readonly Annotation[] = [
    {
      level: exitCode === 0 ? 'notice' : 'error',
      title,
      message: `${sentence} Exit code ${exitCode}: ${words}.`,
    },
    ...[...withMark(cases, 'fail'), ...withMark(cases, 'fault')].map((one) => ({
      level: 'error' as const,
      title: namesOf(one),
      message: briefOf(one),
    })),
    ...events.flatMap((one): readonly Annotation[] => {
      if (one.event !== 'warning') return []
      const { file, line, text: message } = one
      return file === undefined
        ? [{ level: 'warning' as const, title, message }]
        : [{ level: 'error' as const, title: 'stale baseline', file, line, message }]
    }),
  ]
  return found.map(({ title: name, message, ...rest }) =>
    Object.assign(rest, { title: visible(name), message: clipped(visible(message), MAX_TEXT) }),
  )
}
