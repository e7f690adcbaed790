// Says what changed between two readings of the scenario of a server.

import { isDeepStrictEqual } from 'node:util'
import { listenerOptions } from '../../edge/handles.ts'
import type { Scenario } from '../../options/scenario.ts'

/** The parts that a running server takes, with what one of their items is called, and its name among the others. */
const parts = {
  faults: ['fault', ({ id, when = {} }) => id ?? placeOf(when)],
  nodes: ['node rule', ({ class_type, node }) => class_type ?? node],
  runs: ['run rule', ({ run }) => run],
  answers: ['answer', placeOf],
  messages: ['message', ({ type }) => type],
  models: ['model rule', ({ model }) => model],
} as const satisfies Record<string, readonly [noun: string, nameOf: (item: Item) => Name]>

type Part = keyof typeof parts

/** What names an item; it has other members, too. */
type Item = Partial<Readonly<Record<'id' | 'class_type' | 'node' | 'type' | 'model', string>>> &
  Place & { readonly run?: number; readonly when?: Place }
type Place = Partial<Readonly<Record<'method' | 'path' | 'message', string>>>
type Name = string | number | undefined

/** The parts that only a new world takes, and the one that only a gateway takes when it starts. */
const ofWorlds = ['start', 'types', 'modelTypes'] as const
const ofGateway = 'gateway'

/** How many names a change lists. */
const MAX_NAMES = 3

/** The rules of a scenario, which a running server can load. */
export const rulesOf = ({
  version,
  runs,
  nodes,
  faults,
  answers,
  messages,
  models,
}: Scenario): Pick<Scenario, 'version' | Part> => ({
  version,
  runs,
  nodes,
  faults,
  answers,
  messages,
  models,
})

/** What the files say: the scenario, and the options of the server beside it. */
export type Reading = { readonly scenario: Scenario; readonly options: object }

/** What is different, as a part of a sentence: `1 fault added (busy), 2 node rules changed (KSampler)`. */
export function changesText(before: Reading, after: Reading): string {
  const [old, now] = [before.scenario, after.scenario]
  const rules = Object.entries(parts).flatMap(([name, [noun, nameOf]]) =>
    changesOf(noun, nameOf, old[name as Part], now[name as Part]),
  )
  const isShared = (name: string): boolean => listenerOptions.some((one) => one === name)
  const options = changedMembers(before.options, after.options)
  const worlds = [
    ...ofWorlds.filter((name) => changedMembers(old[name], now[name]).length > 0),
    ...options.filter((name) => !isShared(name)),
  ]
  const restart = [
    ...options.filter(isShared),
    ...(changedMembers(old[ofGateway], now[ofGateway]).length > 0 ? [ofGateway] : []),
  ]
  return [
    rules.length === 0 ? 'no rule changed' : rules.join(', '),
    ...(worlds.length === 0 ? [] : [`new worlds have the changed ${worlds.join(', ')}`]),
    ...(restart.length === 0 ? [] : [`restart for the changed ${restart.join(', ')}`]),
  ].join('; ')
}

/** The names of the members that differ; an empty one is treated as none. */
function changedMembers(before: object, after: object): readonly string[] {
  const [old, now] = [filled(before), filled(after)]
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])]
  return names.filter((name) => !isDeepStrictEqual(old[name], now[name]))
}

const filled = (value: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(value).filter(
      ([, member]) =>
        typeof member !== 'object' || member === null || Object.keys(member).length > 0,
    ),
  )

function changesOf(
  noun: string,
  nameOf: (item: Item) => Name,
  before: readonly Item[],
  after: readonly Item[],
): readonly string[] {
  const gone = without(before, after)
  const added: Item[] = []
  const changed: Item[] = []
  for (const item of without(after, before)) {
    const at = gone.findIndex((one) => nameOf(one) === nameOf(item))
    if (at >= 0) gone.splice(at, 1)
    ;(at < 0 ? added : changed).push(item)
  }
  const text = (items: readonly Item[], what: string): readonly string[] =>
    items.length === 0
      ? []
      : [`${items.length} ${noun}${items.length > 1 ? 's' : ''} ${what}${names(items, nameOf)}`]
  const hasSame = gone.length + added.length + changed.length === 0
  const isReordered = hasSame && !isDeepStrictEqual(before, after)
  return [
    ...text(added, 'added'),
    ...text(changed, 'changed'),
    ...text(gone, 'removed'),
    ...(isReordered ? [`${noun}s in another order`] : []),
  ]
}

/** The items that the others lack, each as often as it is there more often. */
function without(items: readonly Item[], others: readonly Item[]): Item[] {
  const left = [...others]
  return items.filter((item) => {
    const at = left.findIndex((one) => isDeepStrictEqual(one, item))
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

function names(items: readonly Item[], nameOf: (item: Item) => Name): string {
  const all = [...new Set(items.flatMap((item) => nameOf(item) ?? []))]
  if (all.length === 0) return ''
  return ` (${all.slice(0, MAX_NAMES).join(', ')}${all.length > MAX_NAMES ? ', …' : ''})`
}

/** A request that a rule is about. */
function placeOf({ method, path, message }: Place): Name {
  return method === undefined || path === undefined ? (path ?? message) : `${method} ${path}`
}
