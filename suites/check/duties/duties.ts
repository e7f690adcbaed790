// All duties, in the order of their rules.

import { rules } from '../../../spec/server/duties.ts'
import type { Duty } from './duty.ts'
import { fileDuties } from './files.ts'
import { messageDuties } from './messages.ts'
import { ordinaryDuties } from './ordinary.ts'
import { outcomeDuties } from './outcomes.ts'
import { replyDuties } from './replies.ts'
import { socketDuties } from './sockets.ts'

const order = Object.keys(rules)

export const duties: readonly Duty[] = [
  ...ordinaryDuties,
  ...messageDuties,
  ...socketDuties,
  ...outcomeDuties,
  ...replyDuties,
  ...fileDuties,
].toSorted((a, b) => order.indexOf(a.rule) - order.indexOf(b.rule))
