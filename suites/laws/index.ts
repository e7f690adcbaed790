// All laws about recorded traffic.

import type { Law } from './law.ts'
import { fileLaws } from './files.ts'
import { frameLaws } from './frames.ts'
import { gatewayLaws } from './gateway.ts'
import { historyLaws } from './history.ts'
import { jobLaws } from './jobs.ts'
import { messageLaws } from './messages.ts'
import { orderLaws } from './order.ts'
import { progressLaws } from './progress.ts'
import { queueLaws } from './queue.ts'
import { receiverLaws } from './receivers.ts'
import { replyLaws } from './replies.ts'
import { submitLaws } from './submits.ts'

/** Laws that name the same rules at the same places are one. */
function merged(all: readonly Law[]): readonly Law[] {
  const groups = new Map<string, Law[]>()
  for (const law of all) {
    const key = `${law.rules.join(' ')} on ${law.on.join(' ')}`
    groups.set(key, [...(groups.get(key) ?? []), law])
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined || group.length === 1
      ? group
      : [{ ...first, judge: judgedBy(group) }]
  })
}

const judgedBy =
  (group: readonly Law[]): Law['judge'] =>
  (trace) => {
    const all = group.map(({ judge }) => judge(trace))
    return {
      seen: all.reduce((sum, { seen }) => sum + seen, 0),
      findings: all.flatMap(({ findings }) => findings),
    }
  }

/** In the order in which reports list them. */
export const laws: readonly Law[] = merged([
  ...replyLaws,
  ...submitLaws,
  ...messageLaws,
  ...orderLaws,
  ...progressLaws,
  ...frameLaws,
  ...receiverLaws,
  ...historyLaws,
  ...queueLaws,
  ...fileLaws,
  ...jobLaws,
  ...gatewayLaws,
])
