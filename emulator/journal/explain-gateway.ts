// What the entries of a gateway's journal say to people: their inputs and effects, what caused them, and why a post was
// answered so.

import { gatewayRefusals, outcomes } from '../../spec/gateway/webhooks.ts'
import type { JournalReader, Link, LineEntry, Value } from './explain.ts'

export const gatewayReader: JournalReader = {
  inputText: ({ kind, target, run, delivery, problem }) => {
    switch (kind) {
      case 'file':
        return 'the subscriptions file changes'
      case 'answered':
        return `an agent answers run ${String(run)}`
      case 'delivered':
        return `delivery ${String(delivery)} ends`
      case 'fail':
        return `deliveries to ${String(target)} fail from now on`
      case 'store-problem':
        return typeof problem === 'string' ? problem : 'the store works again'
      default:
        return undefined
    }
  },
  effectText: (effect) => {
    const { kind, route, verdict, level, text } = effect
    const id = idOf(effect) ?? 'without id'
    if (kind === 'post') return `post ${String(route)} ${id} ${String(verdict)}`
    if (kind === 'log') return `log ${String(level)}: ${String(text)}`
    const { target, status } = contentOf(effect)
    if (kind === 'run') return `run ${id} ${String(status)}`
    if (kind === 'ask') return `an agent is asked for run ${id}`
    if (kind === 'deliver') return `delivery ${id} to ${String(target)} begins`
    if (kind === 'outbox') return `delivery ${id} to ${String(target)} ${String(status)}`
    return undefined
  },
  linksOf: ({ effects }) => {
    const ids = new Set(effects.flatMap((one) => idOf(one) ?? []))
    const failed = effects.some(
      (one) => one['kind'] === 'outbox' && contentOf(one)['error'] !== null,
    )
    const fails: Link = {
      matches: ({ input }) => input['kind'] === 'fail',
      because: 'makes deliveries fail',
    }
    return [...[...ids].flatMap(linksTo), ...(failed ? [fails] : [])]
  },
  reasonsOf: (_journal, { effects }) =>
    effects.flatMap(({ kind, status, verdict, reason, body }) => {
      if (kind === 'post') return typeof reason === 'string' ? `${String(verdict)}: ${reason}` : []
      const found = kind === 'reply' ? answers.find((one) => fits(one, status, body)) : undefined
      return found === undefined ? [] : `${found.status}: ${found.when}`
    }),
}

/** What led to an effect about this delivery id. */
const linksTo = (id: string): readonly Link[] => [
  { matches: has('post', id, 'accepted'), because: `posts the event ${id}` },
  { matches: has('run', id, 'running'), because: `starts the run ${id}` },
]

const has =
  (kind: string, id: string, state: string) =>
  ({ effects }: LineEntry): boolean =>
    effects.some(
      (one) =>
        one['kind'] === kind &&
        idOf(one) === id &&
        (one['verdict'] ?? contentOf(one)['status']) === state,
    )

/** The run, the delivery or the outbox entry of an effect; for others the effect itself. */
const contentOf = (effect: Value): Value =>
  (effect['run'] ?? effect['delivery'] ?? effect['entry'] ?? effect) as Value

/** The delivery id that an effect is about. */
const idOf = (effect: Value): string | undefined =>
  (contentOf(effect)['delivery_id'] ?? undefined) as string | undefined

const answers = Object.values({ ...outcomes, ...gatewayRefusals })
type Form = (typeof answers)[number]

/** Whether a reply has the status and the members of an answer, apart from values that the gateway fills in. */
function fits({ status, body }: Form, actual: unknown, text: unknown): boolean {
  if (status !== actual || typeof body !== 'object' || !('json' in body)) return false
  const given = membersOf(text)
  return Object.entries(body.json).every(
    ([name, value]) => name in given && (/\{\w+\}/.test(value) || given[name] === value),
  )
}

function membersOf(text: unknown): Value {
  try {
    return Object(JSON.parse(String(text))) as Value
  } catch {
    return {}
  }
}
