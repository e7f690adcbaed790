// Wrong servers that follow from the spec: each changes one member of a reply or of a message, the status of an endpoint, the
// status, the words or a header of a refusal, or how often and to whom a message is sent.

import { endpointRules, type Ids, messageRules } from '../../../spec/answers.ts'
import {
  endpoints,
  gatewayEndpoints,
  messages,
  quirks,
  receivers,
  type RuleId,
  rules,
} from '../../../spec/index.ts'
import type { Endpoint, Message, Place, Quirk, ReplyBody, Rule } from '../../../spec/language.ts'
import type { MessageType } from '../../../spec/server/messages.ts'
import { brokenBy } from '../../../spec/truth/broken-by.ts'
import type { QuirkId } from '../../../spec/truth/quirks.ts'
import {
  type AnyReply,
  doubled,
  dropped,
  endpointOf,
  everyone,
  inJson,
  type Mutant,
  onData,
  redirected,
  replying,
} from '../tamper.ts'
import { isLeftOut, isMissed } from './left-out.ts'
import { memberRules } from './member-rules.ts'
import { wrongMembers, wrongWholes } from './members.ts'
import { wrongRefusals } from './refusals.ts'

/** A fault at one place. Those of one name are one mutant. */
type Fault = {
  readonly name: string
  readonly place: Place
  /** The rules behind what it changes. */
  readonly ids: Ids
  /** Creates the tampering for one world. */
  readonly make: () => any
}

type Change = (reply: AnyReply) => Partial<AnyReply>

/** Changes the replies of some endpoints at a place. */
const repliesAt = (
  place: Place,
  isAt: (endpoint: string | undefined, isLink: boolean) => boolean,
  change: Change,
): Fault['make'] =>
  replying((reply, request) =>
    isAt(endpointOf(place, request), request.links === true) ? change(reply) : {},
  )

/** The successful replies of an endpoint. The edge makes others of them for ranges and conditions. */
const repliesOf = (place: Place, { replies, hostedReplies = replies }: Endpoint) =>
  Object.entries(place === 'hosted' ? hostedReplies : replies).filter(([status]) =>
    /^(?:20[0-5]|302)$/.test(status),
  )

function ofReply(
  endpoint: string,
  place: Place,
  [key, body]: readonly [status: string, body: ReplyBody],
): readonly Fault[] {
  const status = Number(key)
  const ids = (endpointRules as Readonly<Record<string, Ids>>)[endpoint] ?? []
  const fault = (says: string, change: Change): Fault => {
    const name = `${endpoint}${says}`
    const changeIt: Change = (reply) => (reply.status === status ? change(reply) : {})
    const make = repliesAt(place, (one) => one === endpoint, changeIt)
    return { name, place, ids: memberRules(name).concat(ids), make }
  }
  const inBody = (says: string, change: (value: unknown) => unknown): Fault =>
    fault(says, (reply) => inJson(change)(reply, undefined))
  const schema = typeof body === 'object' ? body : {}
  return [
    fault(`-is-${status + 1}-for-${status}`, () => ({ status: status + 1 })),
    ...wrongWholes(schema).map(({ name, change }) => inBody(`-${name}`, change)),
    ...wrongMembers(schema).map(({ name, change }) => inBody(`.${name}`, change)),
  ]
}

function ofMessage(type: string, spec: Message, place: Place): readonly Fault[] {
  const ids: Ids = [messageRules[type as MessageType]]
  const schema = place === 'hosted' ? (spec.hostedData ?? spec.data) : spec.data
  const receiver = receivers[type as MessageType]
  return [
    ...wrongMembers(schema).map(({ name, change }) => ({
      name: `${type}.${name}`,
      place,
      ids: memberRules(`${type}.${name}`).concat(ids),
      make: onData(type, change),
    })),
    { name: `${type}-never`, place, ids, make: dropped(type) },
    { name: `${type}-twice`, place, ids: [...ids, 'messages/order'], make: doubled(type) },
    ...(place === 'local' && receiver.startsWith('own')
      ? [
          {
            name: `${type}-to-everyone`,
            place,
            ids: ['messages/own-client'] as const,
            make: redirected(type, everyone),
          },
        ]
      : []),
  ]
}

const faults: readonly Fault[] = [
  ...Object.entries<Endpoint>({ ...endpoints, ...gatewayEndpoints }).flatMap(([name, spec]) =>
    spec.on.flatMap((place) =>
      repliesOf(place, spec).flatMap((reply) => ofReply(name, place, reply)),
    ),
  ),
  ...Object.entries<Message>(messages).flatMap(([type, spec]) =>
    spec.on.flatMap((place) => ofMessage(type, spec, place)),
  ),
  ...wrongRefusals.map(({ name, place, ids, isAt, change }) => ({
    name,
    place,
    ids,
    make: repliesAt(place, isAt, change),
  })),
]

/** A mutant that the cases of its rules catch at each of these places: those of one rule are enough. */
export type GeneratedMutant = Mutant & {
  readonly on: readonly Place[]
  /** Those of the places where none catches it yet. */
  readonly missedOn: readonly Place[]
}

/** The rules behind a fault that hold at its place. */
const rulesOf = ({ place, ids }: Fault): readonly RuleId[] =>
  ids.filter(
    (id): id is RuleId =>
      (rules as Readonly<Record<string, Rule>>)[id]?.on.includes(place) === true,
  )

function joined(name: string, same: readonly Fault[]): GeneratedMutant {
  const on = [...new Set(same.map(({ place }) => place))]
  const breaks = [...new Set(same.flatMap(rulesOf))]
  const tamper = (place: Place = on[0] ?? 'local') => {
    const tampers = same.filter((one) => one.place === place).map(({ make }) => make())
    return (effects: unknown, input: unknown) =>
      tampers.reduce((changed, own) => own(changed, input), effects)
  }
  const missedOn = on.filter((place) => isMissed(`${name} on ${place}`))
  return { breaks, on, missedOn, tamper } as GeneratedMutant
}

const byName = new Map<string, readonly Fault[]>()
for (const fault of faults) {
  const [rule] = rulesOf(fault)
  const name = `${rule?.split('/')[0]}/${fault.name}`
  if (rule !== undefined && !isLeftOut(`${name} on ${fault.place}`))
    byName.set(name, [...(byName.get(name) ?? []), fault])
}

/** Servers with a quirk, which breaks rules of the description. */
const withQuirk = Object.entries(brokenBy).map(([id, breaks]) => {
  const { on }: Quirk = quirks[id as QuirkId]
  return [`quirks/${id}`, { breaks, on, missedOn: [], options: { quirk: [id] } }] as const
})

/** The mutants by name: the area of the first rule, what is changed, and how. */
export const generated = [
  ...[...byName].map(([name, same]) => [name, joined(name, same)] as const),
  ...(withQuirk as unknown as readonly (readonly [name: string, mutant: GeneratedMutant])[]),
]
