// Adds to each reply of a machine a header with the rules behind it [control/explain]. Only `explain` loads this.

import type { Where } from '../../spec/language.ts'
import type { Fault, FaultThen } from '../../spec/scenario/faults.ts'
import type { Reply } from '../http/replies.ts'
import { type Asked, rulesBehind, type Scripted } from './rules-behind.ts'

/** The members of inputs and effects that matter here. */
type AnyInput = {
  readonly kind: string
  readonly request?: number
  readonly socket?: number
  readonly method?: string
  readonly target?: string
  readonly links?: true | undefined
  readonly do?: string
}
type AnyEffect = { readonly kind: string; readonly request?: number; readonly socket?: number }

/** The response header with the ids of the rules behind a reply. */
const rulesHeader = 'X-Flowdouble-Rules'

/** What was asked, what faults do to the answer, and how the scenario replies, if it does. */
type Waiting = {
  readonly asked: Asked
  readonly faults: readonly FaultThen[]
  readonly scripted: Scripted | undefined
}

/** Adds the header to a reply that bypasses the machine. */
export const explainReply = (where: Where, reply: Reply): Reply =>
  withRules(where, reply, undefined)

/**
 * Returns what adds the header to the replies of a machine on their way out, which its journal has without it.
 * @param faultOf the fault in force with this id.
 */
export function explainEffects<E extends AnyEffect>(
  where: Where,
  faultOf: (id: string) => Fault | undefined,
): (input: AnyInput, effects: readonly E[]) => readonly E[] {
  const waiting = new Map<string, Waiting>()
  return (input, effects) => {
    note(waiting, input, effects, faultOf)
    return effects.map((effect) => explained(where, waiting, effect))
  }
}

/** Keeps what is asked until its answer, which can come in a later step. */
function note(
  waiting: Map<string, Waiting>,
  input: AnyInput,
  effects: readonly AnyEffect[],
  faultOf: (id: string) => Fault | undefined,
): void {
  const { kind, method = 'GET', target = '/', links = false } = input
  // Nobody waits any longer when the whole state has changed.
  if (kind === 'world' && input.do !== 'snapshot') waiting.clear()
  if (kind !== 'request' && kind !== 'open') return
  const faults = effects.flatMap((effect) => {
    const fault = effect.kind === 'fault' && 'id' in effect ? faultOf(String(effect.id)) : undefined
    // Faults of messages can apply in the same step.
    const isOther = fault?.when.message !== undefined || fault?.when.atMs !== undefined
    return fault === undefined || isOther ? [] : [fault.then]
  })
  const answered = effects.find((effect) => effect.kind === 'answered') as
    | { readonly by: Scripted }
    | undefined
  waiting.set(keyOf(input), { asked: { method, target, links }, faults, scripted: answered?.by })
}

const keyOf = ({ request, socket }: AnyInput | AnyEffect): string =>
  request === undefined ? `socket ${socket}` : `request ${request}`

function explained<E extends AnyEffect>(where: Where, waiting: Map<string, Waiting>, effect: E): E {
  const isAnswer = effect.kind === 'reply' || effect.kind === 'refuse'
  if (!isAnswer && effect.kind !== 'accept' && effect.kind !== 'reset') return effect
  const found = waiting.get(keyOf(effect))
  waiting.delete(keyOf(effect))
  if (!isAnswer) return effect
  return withRules(where, effect as E & Reply, found)
}

function withRules<R extends Pick<Reply, 'status' | 'headers' | 'body'>>(
  where: Where,
  reply: R,
  waiting: Waiting | undefined,
): R {
  const ids = rulesBehind(where, waiting?.asked, reply, waiting?.faults, waiting?.scripted)
  if (ids.length === 0) return reply
  const headers = Object.assign({}, reply.headers, { [rulesHeader]: ids.join(', ') })
  return Object.assign({}, reply, { headers })
}
