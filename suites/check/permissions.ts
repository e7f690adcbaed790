// What cases may do to a server elsewhere: each request is looked at before it leaves, runs are counted, and what is made is
// written down.

import type { Allowance, TargetOptions } from '../../spec/check.ts'
import { profiles } from '../../spec/server/deployments.ts'
import { jsonIn } from '../../dist/emulator/session/index.js'
import { missing, Skip } from '../judge/skip.ts'
import type { Outgoing, Watcher } from '../judge/traffic.ts'
import {
  classTypesOf,
  type Deed,
  deedOf,
  guardedRequest,
  isHarmlessText,
  lackFor,
  savedBy,
  savesElsewhere,
} from './guard.ts'
import { credentialsOf, keepFile } from './kept.ts'
import type { Ledger } from './ledger.ts'
import type { Running, Target } from './running.ts'

/** How the reply to a submit names its run. */
const acceptedBy: readonly (readonly [asked: RegExp, named: RegExp])[] = [
  // Bytes that are not a valid request, or can be read as several.
  [/^ /, /"prompt_id":\s*"([^"]+)"/],
  [/^POST (\/api)?\/prompt(\?|$)/, /"prompt_id":\s*"([^"]+)"/],
  [/^POST \/api\/v2\/jobs$/, /^\s*\{.*?"id":\s*"([^"]+)"/s],
]

/** Larger bodies and messages have to be allowed. */
const MAX_BODY_BYTES = 8 * 2 ** 20
const MAX_MESSAGE_BYTES = 2 ** 20

export type Permissions = {
  /** Throws a skip if the operator has not allowed all of these. */
  readonly permit: (needs: readonly Allowance[]) => void
  /** Looks at a request before the last of its bytes leaves. Throws a skip if it must not. */
  readonly guard: Watcher['guard']
  /** Looks at a message of a socket before the last of its bytes leaves. Throws a skip if it must not. */
  readonly guardMessage: Watcher['guardMessage']
  /**
   * Looks at the reply to a request that the guard has seen: a submit that was accepted has started a run, and an upload is a
   * file.
   */
  readonly take: (request: Outgoing, status: number, body: string) => void
  /** How many runs were accepted. */
  readonly runs: () => number
  /** Whether a run is ours, or may be: one of two runs with the same id may be listed in its place. */
  readonly isOwn: (prompt_id: string) => boolean
}

/** The files that the reply to an upload names, undefined if it names none. An asset may have no file, or one of another name. */
function uploadedAs(body: string): readonly string[] | undefined {
  const { name, subfolder, type, loader_path, id } = jsonIn(body) ?? {}
  if (typeof name !== 'string') return undefined
  if (id !== undefined && loader_path === undefined) return []
  return [JSON.stringify([type, subfolder, loader_path ?? name])]
}

/** @param current the case that is running, if any. */
export function createPermissions(
  { url, deployment, types }: Target,
  options: TargetOptions,
  ledger: Ledger,
  current: () => Running | undefined,
): Permissions {
  const allowed: ReadonlySet<Allowance> = new Set(options.allow)
  // A ledger may list runs of a check that could not end.
  const own = new Set(ledger.entries().flatMap((one) => (one.kind === 'run' ? [one.name] : [])))
  /** Runs that were accepted, and submits whose reply is not here yet. */
  let runs = 0
  /** Whether a hosted server has named one of our runs as it named another. */
  let isAmbiguous = false
  /** The files that a server has taken. */
  const taken = new Set<string>()
  /** Requests that submit a graph. */
  const submits = new WeakSet<Outgoing>()
  /** The files that requests make if the server obeys. */
  const files = new WeakMap<
    Outgoing,
    { readonly makes: NonNullable<Deed['makes']>; readonly saves: readonly string[] }
  >()

  const permit: Permissions['permit'] = (needs) => {
    for (const one of needs) current()?.needs.add(one)
    const refused = needs.filter((one) => !allowed.has(one))
    if (refused.length > 0) throw new Skip('not-allowed', `It needs --allow ${refused.join(',')}.`)
  }
  const remember = (prompt_id: string): void => {
    own.add(prompt_id)
    current()?.runs.add(prompt_id)
    ledger.add({ kind: 'run', name: prompt_id })
  }
  const permitSubmit = ({ graph, prompt_id }: NonNullable<Deed['submits']>, text: string): void => {
    if (runs >= options.maxRuns) throw new Skip('budget', `${options.maxRuns} runs are used up.`)
    // The types of a graph that cannot be read are those that its text names.
    const names =
      graph === undefined
        ? Object.keys(types).filter((name) => text.includes(name))
        : classTypesOf(graph)
    // What a recorded server had and this one lacks is a change, and a recorded run saves where it did then.
    if (current()?.isRecorded !== true) {
      const testNode = names.find((name) => name.startsWith('Flowdouble'))
      if (testNode !== undefined) throw new Skip('own-world', `It needs the test node ${testNode}.`)
      const lack = graph === undefined ? undefined : lackFor(graph, types)
      if (lack !== undefined) throw missing(lack)
      if (savesElsewhere(graph, types)) permit(['destructive'])
    }
    if (names.some((name) => types[name]?.api_node === true)) permit(['paid'])
    if (prompt_id !== undefined) remember(prompt_id)
  }
  /** Whether the server has a run of this id that is not ours. */
  const isOfOthers = async (request: Outgoing, prompt_id: string): Promise<boolean> => {
    if (own.has(prompt_id)) return false
    const prefix = deployment === 'hosted' ? profiles.hosted.prefix : ''
    const headers = credentialsOf(request)
    const read = async (path: string): Promise<string> =>
      (await fetch(`${url}${prefix}${path}`, { headers })).text()
    const texts = await Promise.all([
      read(`/history/${encodeURIComponent(prompt_id)}`),
      read('/queue'),
    ])
    return texts.some((text) => text.includes(JSON.stringify(prompt_id)))
  }
  const guard: Permissions['guard'] = async (request, isWhole) => {
    const { method, path, headers } = request
    // A link to another host names one file there.
    if (new URL(request.url).host !== new URL(url).host) {
      if (options.isReadOnly && !/^(GET|HEAD|OPTIONS)$/.test(method))
        throw new Skip('not-allowed', '--read-only changes nothing.')
      return
    }
    const guarded = guardedRequest(method, path, isWhole ? request.body : '', headers, isWhole)
    const deed = deedOf(guarded)
    const { changes, needs, makes = [], writes = [], submits: submitted } = deed
    if (options.isReadOnly && changes)
      throw new Skip(
        'not-allowed',
        submitted ? '--read-only submits nothing.' : '--read-only changes nothing.',
      )
    permit(Buffer.byteLength(request.body) > MAX_BODY_BYTES ? [...needs, 'heavy'] : needs)
    if (!allowed.has('global'))
      for (const id of deed.runs) if (await isOfOthers(request, id)) permit(['global'])
    makes.forEach(ledger.add)
    if (isWhole) files.set(request, { makes, saves: savedBy(submitted?.graph, types) })
    const running = current()
    if (running) for (const name of writes) await keepFile(running.files, ledger, request, name)
    if (submitted) {
      permitSubmit(submitted, guarded.body.texts.join('\n'))
      submits.add(request)
      runs++
    }
  }
  const guardMessage: Permissions['guardMessage'] = ({ kind, length, isWhole, bytes }) => {
    if (length > MAX_MESSAGE_BYTES) permit(['heavy'])
    if (!options.isReadOnly || !isWhole || kind !== 'text') return
    if (bytes === undefined || !isHarmlessText(bytes.toString()))
      throw new Skip('not-allowed', '--read-only changes nothing.')
  }
  const take: Permissions['take'] = (request, status, body) => {
    const { makes = [], saves = [] } = files.get(request) ?? {}
    for (const { kind: of, name } of makes) {
      if (status < 400) taken.add(`${of} ${name}`)
      // A refused upload leaves nothing, unless another one has left a file of that name.
      else if (!taken.has(`${of} ${name}`)) ledger.add({ kind: 'removed', of, name })
    }
    if (status < 300) {
      const uploads = makes.length > 0 ? (uploadedAs(body) ?? makes.map(({ name }) => name)) : []
      for (const one of [...uploads.map((name) => `upload ${name}`), ...saves])
        current()?.made.add(one)
    }
    const line = `${request.method} ${request.path}`
    const named = acceptedBy.find(([asked]) => asked.test(line))?.[1]
    if (named === undefined) return
    const isSubmit = submits.has(request)
    const prompt_id = named.exec(body)?.[1]
    // Also with a wrong status: a refusal names no run.
    const isAccepted = prompt_id !== undefined
    if (isAccepted && deployment === 'hosted') isAmbiguous ||= own.has(prompt_id)
    if (isAccepted) remember(prompt_id)
    if (isSubmit && !isAccepted) runs--
    // What reads as no graph, but was accepted, is a run all the same.
    if (!isSubmit && isAccepted) runs++
  }
  const isOwn: Permissions['isOwn'] = (prompt_id) => isAmbiguous || own.has(prompt_id)
  return { permit, guard, guardMessage, take, runs: () => runs, isOwn }
}
