// Explains an entry of the journal of a server or gateway: what it did, which earlier entries caused it, and why it was answered so.

import type { Generation } from '../../spec/generations.ts'
import { generationLike } from '../../spec/truth/servers.ts'
import type { Deployment, Endpoint } from '../../spec/language.ts'
import type { Fault } from '../../spec/scenario/faults.ts'
import { endpoints } from '../../spec/server/endpoints.ts'
import { endpointHint } from '../http/nearest-endpoint.ts'
import { splitTarget } from '../http/requests.ts'
import { findEndpoint, routesOn } from '../http/routes.ts'
import { errorsIn } from './errors-in.ts'
import { effectText, inputText, messageOf, type Value } from './entry-text.ts'
import { type AnyReply, findRefusal } from './refusals.ts'
import { type Asked, rulesBehind, type Scripted, sentenceOf } from './rules-behind.ts'

export type { Value }
/** An entry as its line has it. */
export type LineEntry = { readonly input: Value; readonly effects: readonly Value[] }

/** A journal as text lines, parsed. */
export type ParsedJournal = {
  readonly isOfGateway: boolean
  readonly first: number
  readonly options: Value
  readonly entries: readonly LineEntry[]
}

/** An earlier entry that contributed to another one, and what it contributed. */
export type Link = { readonly matches: (one: LineEntry) => boolean; readonly because: string }

/** What is particular to the journals of a machine. A text is undefined for what all journals have. */
export type JournalReader = {
  readonly inputText: (input: Value) => string | undefined
  readonly effectText: (effect: Value) => string | undefined
  readonly linksOf: (own: LineEntry) => readonly Link[]
  readonly reasonsOf: (journal: ParsedJournal, own: LineEntry) => readonly string[]
}

/** One entry: its number, its time, what came in and what went out. */
type Step = {
  readonly entry: number
  readonly nowMs: number
  readonly input: string
  readonly effects: readonly string[]
}

/** `due`: it caused what was due when the entry came, which refuses a request. */
type Cause = Step & { readonly because: string; readonly due?: true }

export type Explanation = Step & {
  /** The earlier entries without which it would not have happened, the latest first, and what each contributes. */
  readonly causes: readonly Cause[]
  /** Why the answer is this one. */
  readonly reasons: readonly string[]
  /** The rules behind the answer. */
  readonly rules: readonly { readonly id: string; readonly says: string }[]
}

/** Parses the lines of a journal. Throws SyntaxError for a text that is not one. */
export function parseJournal(text: string): ParsedJournal {
  const [header = '', ...lines] = text.trimEnd().split('\n')
  const { flowdouble, first, options } = JSON.parse(header) as Value
  const [, gateway] = /^(gateway )?journal /.exec(String(flowdouble)) ?? [undefined, null]
  if (gateway === null || typeof first !== 'number')
    throw new SyntaxError('it does not begin with the options of a server or gateway')
  const whole = lines.flatMap((line, at): LineEntry[] => {
    try {
      return [JSON.parse(line) as LineEntry]
    } catch (error) {
      // The last line can be incomplete while the server writes.
      if (at === lines.length - 1) return []
      throw error
    }
  })
  return { isOfGateway: gateway !== undefined, first, options: options as Value, entries: whole }
}

/**
 * Explains the entry of this number; undefined if the journal does not have it.
 * @param reader of the journals of a gateway; undefined for those of a server.
 */
export function explain(
  journal: ParsedJournal,
  number: number,
  reader: JournalReader | undefined,
): Explanation | undefined {
  const own = journal.entries[number - journal.first]
  if (own === undefined) return undefined
  return Object.assign(stepOf(journal, number, reader), {
    causes: causesOf(journal, number, reader),
    reasons: reader?.reasonsOf(journal, own) ?? reasonsOf(journal, own),
    rules: rulesOf(journal, own),
  })
}

const entryAt = ({ entries, first }: ParsedJournal, number: number): LineEntry =>
  entries[number - first] as LineEntry

function stepOf(journal: ParsedJournal, number: number, reader: JournalReader | undefined): Step {
  const { input, effects } = entryAt(journal, number)
  const texts = effects.map((effect) => reader?.effectText(effect) ?? effectText(effect))
  const text = reader?.inputText(input) ?? inputText(input)
  return { entry: number, nowMs: input['atMs'] as number, input: text, effects: texts }
}

/** The runs that an entry is about. */
function runsOf({ effects }: LineEntry): ReadonlySet<string> {
  const ids = effects.flatMap(({ kind, prompt_id, text }) => {
    if (kind === 'run') return [String(prompt_id)]
    const id = kind === 'send' ? messageOf(text)?.data?.['prompt_id'] : undefined
    return typeof id === 'string' ? [id] : []
  })
  return new Set(ids)
}

/** The earlier entries that caused an entry, the latest first. */
function causesOf(
  journal: ParsedJournal,
  number: number,
  reader: JournalReader | undefined,
): Explanation['causes'] {
  const own = entryAt(journal, number)
  const causes = new Map<number, string>()
  const note = (found: number | undefined, because: string): void => {
    if (found !== undefined && found < number && !causes.has(found)) causes.set(found, because)
  }
  const before = (matches: (one: LineEntry) => boolean): number | undefined => {
    const at = journal.entries.slice(0, number - journal.first).findLastIndex(matches)
    return at < 0 ? undefined : at + journal.first
  }
  for (const { matches, because } of reader?.linksOf(own) ?? []) note(before(matches), because)
  for (const id of reader === undefined ? runsOf(own) : []) {
    note(
      before((one) => submits(one, id)),
      `submits the run ${id}`,
    )
    note(
      before((one) => hasRun(one, id, 'started')),
      `starts the run ${id}`,
    )
    const started = journal.entries.findIndex((one) => hasRun(one, id, 'started')) + journal.first
    if (started === number)
      note(
        before(({ effects }) => effects.some(endsRun)),
        'ends the run before it',
      )
  }
  for (const socket of socketsOf(own))
    note(
      before(({ input }) => input['kind'] === 'open' && input['socket'] === socket),
      `opens socket ${socket}`,
    )
  for (const request of streamsOf(own))
    note(
      before(({ input }) => input['kind'] === 'request' && input['request'] === request),
      'opens the stream',
    )
  for (const id of faultsOf(own))
    note(
      before(({ input }) => addsFault(input, id)),
      `adds the fault ${id}`,
    )
  // What a fault does is the answer.
  const answers = new Set(faultsOf(own).map((id) => `adds the fault ${id}`))
  const isDue = (because: string): boolean => refuses(own) && !answers.has(because)
  return [...causes]
    .toSorted(([a], [b]) => b - a)
    .map(([at, because]) =>
      Object.assign(
        stepOf(journal, at, reader),
        { because },
        isDue(because) && { due: true as const },
      ),
    )
}

/** Whether an entry refuses a request: all else that it does was due when the request came. */
const refuses = ({ input, effects }: LineEntry): boolean =>
  input['kind'] === 'request' &&
  effects.some(({ kind, status }) => kind === 'reply' && Number(status) >= 400)

const submits = ({ input, effects }: LineEntry, id: string): boolean =>
  input['kind'] === 'request' &&
  input['method'] === 'POST' &&
  effects.some(({ kind, body }) => kind === 'reply' && bodyNames(body, id))

const bodyNames = (body: unknown, id: string): boolean =>
  typeof body === 'string' && /^\{"(prompt_)?id"/.test(body) && body.includes(JSON.stringify(id))

const hasRun = ({ effects }: LineEntry, id: string, state: string): boolean =>
  effects.some((one) => one['kind'] === 'run' && one['prompt_id'] === id && one['state'] === state)

const endsRun = ({ kind, state }: Value): boolean => kind === 'run' && state !== 'started'

/** The requests whose streams an entry is about. */
const streamsOf = ({ input, effects }: LineEntry): ReadonlySet<unknown> =>
  new Set(
    [input, ...effects].flatMap(({ kind, request }) =>
      kind === 'chunk' || kind === 'leave' ? [request] : [],
    ),
  )

const socketsOf = ({ effects }: LineEntry): ReadonlySet<number> =>
  new Set(effects.flatMap(({ sockets }) => (Array.isArray(sockets) ? (sockets as number[]) : [])))

const faultsOf = ({ effects }: LineEntry): readonly string[] =>
  effects.flatMap(({ kind, id }) => (kind === 'fault' ? [String(id)] : []))

const addsFault = (input: Value, id: string): boolean =>
  addedBy(input).some((fault) => fault.id === id)

/** The faults that an input adds. */
function addedBy({ kind, change }: Value): readonly Fault[] {
  if (kind !== 'script') return []
  const { add, load } = change as { add?: Fault; load?: { faults?: readonly Fault[] } }
  return [...(add === undefined ? [] : [add]), ...(load?.faults ?? [])]
}

/** The generation of the server of a journal. */
const generationIn = ({ options }: ParsedJournal): Generation =>
  generationLike((options['like'] as string | null | undefined) ?? null)

/** Why a request was answered as it was. */
function reasonsOf(journal: ParsedJournal, own: LineEntry): readonly string[] {
  const faults = faultsOf(own).map((id) => faultText(journal, id))
  const reply = answerTo(journal, own)
  if (reply === undefined) return faults
  const scripted = scriptedIn(own)
  if (scripted !== undefined) return [...faults, scriptedTexts[scripted]]
  const deployment = journal.options['deployment'] as Deployment
  const { method, target, links } = askedBy(own.input)
  const [path] = splitTarget(target)
  const generation = generationIn(journal)
  const name = findEndpoint(routesOn(deployment, generation), method, path)?.name
  const endpoint =
    name === undefined ? undefined : (endpoints as Readonly<Record<string, Endpoint>>)[name]
  const served = endpoint && `${endpoint.method} ${endpoint.path}: ${endpoint.does}`
  const hint = endpointHint(deployment, method, path, generation)
  const unserved = links ? undefined : hint
  // A fault answers instead of the server.
  const found = faults.length > 0 ? undefined : findRefusal(deployment, reply)
  const refusal = found && `${reply.status}: ${found.refusal.when}`
  const isOwn = faults.length === 0 && reply.status >= 400 && typeof reply.body === 'string'
  const errors = isOwn ? errorsIn(reply.body, reply.status) : []
  const others = [served ?? unserved, refusal].filter((one) => one !== undefined)
  return [...faults, ...errors, ...others]
}

/** How the scenario replies to a request; undefined if it does not. */
const scriptedIn = ({ effects }: LineEntry): Scripted | undefined =>
  effects.find(({ kind }) => kind === 'answered')?.['by'] as Scripted | undefined

const scriptedTexts = {
  answer: 'an answer of the scenario replies',
  wait: 'a node rule of the scenario names this request, and no answer or endpoint replies to it',
} as const satisfies Readonly<Record<Scripted, string>>

/** The rules behind the answer to an entry, with their sentences. */
function rulesOf(journal: ParsedJournal, own: LineEntry): Explanation['rules'] {
  const reply = answerTo(journal, own)
  if (reply === undefined) return []
  const faults = faultsOf(own).flatMap((id) => faultOf(journal, id)?.then ?? [])
  const place = journal.isOfGateway ? 'gateway' : (journal.options['deployment'] as Deployment)
  const ids = rulesBehind(
    { place, generation: generationIn(journal) },
    askedBy(own.input),
    reply,
    faults,
    scriptedIn(own),
  )
  return ids.map((id) => ({ id, says: sentenceOf(id) }))
}

/** What a request or a handshake asks. */
const askedBy = ({ kind, method, target, links }: Value): Asked => ({
  method: kind === 'open' ? 'GET' : String(method),
  target: String(target),
  links: links === true,
})

/** The answer to a request or a handshake, which a fault can delay to a later entry. */
function answerTo({ entries }: ParsedJournal, own: LineEntry): AnyReply | undefined {
  const { kind, request, socket } = own.input
  if (kind !== 'request' && kind !== 'open') return undefined
  const isOwn = (effect: Value): boolean =>
    kind === 'request'
      ? effect['kind'] === 'reply' && effect['request'] === request
      : effect['kind'] === 'refuse' && effect['socket'] === socket
  const later = entries.slice(entries.indexOf(own)).find(({ effects }) => effects.some(isOwn))
  return later?.effects.find(isOwn) as AnyReply | undefined
}

function faultText(journal: ParsedJournal, id: string): string {
  const found = faultOf(journal, id)
  if (found === undefined) return `the fault ${id} applies`
  return `the fault ${id} applies: when ${JSON.stringify(found.when)} then ${JSON.stringify(found.then)}`
}

function faultOf({ options, entries }: ParsedJournal, id: string): Fault | undefined {
  const { faults = [] } = (options['script'] ?? {}) as { faults?: readonly Fault[] }
  const added = entries.flatMap(({ input }) => addedBy(input))
  const numbered = /^fault (\d+)$/.exec(id)?.[1]
  return (
    added.findLast((one) => one.id === id) ??
    faults.find((one) => one.id === id) ??
    faults[Number(numbered) - 1]
  )
}
