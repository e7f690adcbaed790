// Reads a recording for its replay.

import { membersIn } from '../../lib/loose.ts'
import { exchangeOf } from '../../session/exchanges.ts'
import { acceptedId } from '../../session/runs.ts'
import { serverOf } from '../../session/server-of.ts'
import { socketOf } from '../../session/sockets.ts'
import { clientIn, noReplacement, typeIn } from '../identities.ts'
import {
  headerOf,
  ofServer,
  type RecordedExchange,
  type RecordedResponse,
  type RecordedSocket,
  type Recording,
  targetOf,
} from '../../session/recording.ts'
import {
  type AnyMembers,
  canonicalRequest,
  isPrefixed,
  keyOf,
  targetKey,
  workflowKey,
} from './canonical.ts'
import { documentIn } from './json-in.ts'
import { readMoments } from './moments.ts'
import { causeKey, type Script, type ScriptExchange, type ScriptSocket } from './script.ts'

type Answered = RecordedExchange & { readonly response: RecordedResponse }

export function readScript(whole: Recording, any: AnyMembers): Script {
  const recording = ofServer(whole)
  const answered = recording.exchanges.filter((one): one is Answered => one.response !== null)
  const place = recording.info?.place ?? serverOf(recording)?.place ?? 'local'
  const exchanges = answered.map((one) => readExchange(one, place, any))
  const submits = new Map(
    exchanges.flatMap(({ run }, at) => (run === null ? [] : [[run, at] as const])),
  )
  const moments = readMoments({ ...recording, exchanges: answered }, exchanges, submits)
  const byKey = grouped(exchanges, ({ key }) => key)
  return {
    place,
    software: recording.info?.software ?? null,
    exchanges,
    byKey,
    byTarget: grouped(exchanges, ({ request }, at) =>
      answered[at]?.cut?.includes('request') === true ? targetKey(request) : undefined,
    ),
    byWorkflow: grouped(exchanges, ({ request, run }) =>
      run === null ? undefined : workflowKey(request),
    ),
    sockets: readSockets(recording.sockets),
    any,
    ...moments,
    momentsOf: momentsOf(moments.moments),
    momentsAfter: grouped(moments.moments, ({ exchange, state }) =>
      state === 'requested' ? undefined : exchange,
    ),
    byCause: grouped(moments.messages, ({ cause }) => causeKey(cause)),
    answersAfter: answersAfter(exchanges, byKey, moments),
    submits,
    historyEntries: historyEntriesOf(exchanges, submits),
    origins: new Set(answered.map(({ url }) => new URL(url).origin)),
    startMs: Math.min(
      ...answered.map(({ startMs }) => startMs),
      ...recording.sockets.map(({ openMs }) => openMs),
    ),
  }
}

function readExchange(one: Answered, place: Script['place'], any: AnyMembers): ScriptExchange {
  const { entry, startMs, endMs, method, url, headers, body, response, cut } = one
  const contentType = headerOf(headers, 'content-type') ?? ''
  const target = targetOf(url)
  const request = canonicalRequest({ method, target, contentType, body }, noReplacement, any)
  const traced = exchangeOf(place, one, new URL(url))
  return {
    entry,
    startMs,
    endMs,
    body,
    request,
    key: keyOf(request),
    response,
    contentType,
    endpoint: traced.endpoint?.name,
    run: acceptedId(traced) ?? null,
    client: clientIn({ target, contentType, body }),
    isPrefixed: isPrefixed(target),
    // Nobody reads that of a redirect.
    lacksBody: cut?.includes('response') === true && !isRedirect(response.status),
  }
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400

/** The positions of items with the same key; those without a key are left out. */
function grouped<T, K>(
  items: readonly T[],
  keyOfItem: (item: T, at: number) => K | undefined,
): ReadonlyMap<K, readonly number[]> {
  const groups = new Map<K, number[]>()
  for (const [at, item] of items.entries()) {
    const key = keyOfItem(item, at)
    if (key === undefined) continue
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [at])
    else group.push(at)
  }
  return groups
}

/**
 * Only requests that were repeated have changing answers; and those whose answer shows a state that came between the last
 * moment with an exact time and them.
 */
function answersAfter(
  exchanges: readonly ScriptExchange[],
  byKey: Script['byKey'],
  { moments, momentsBefore }: Pick<Script, 'moments' | 'momentsBefore'>,
): Script['answersAfter'] {
  const offsets = new Map<number, number[]>()
  let lastExact = -1
  const exactBefore = moments.map(({ isLate }, at) => (isLate ? lastExact : (lastExact = at)))
  for (const [at, { key, request, endMs }] of exchanges.entries()) {
    const last = (momentsBefore[at] ?? 0) - 1
    const moment = moments[last]
    if (request.method !== 'GET' || moment === undefined) continue
    const exact = moments[exactBefore[last] ?? -1]
    const isRepeated = byKey.get(key)?.length !== 1
    const causes = [
      ...(isRepeated ? [moment.exchange] : []),
      ...(moment.isLate && exact !== undefined ? [exact.exchange] : []),
    ]
    for (const cause of new Set(causes)) {
      const startMs = exchanges[cause]?.startMs ?? 0
      offsets.set(cause, [...(offsets.get(cause) ?? []), endMs - startMs])
    }
  }
  return offsets
}

function momentsOf(moments: Script['moments']): Script['momentsOf'] {
  const positions = [...moments.keys()]
  return {
    all: positions.filter((at) => moments[at]?.isLate === false),
    others: positions.filter((at) => moments[at]?.run === null),
    runs: grouped(moments, ({ run }) => run ?? undefined),
  }
}

function readSockets(sockets: readonly RecordedSocket[]): readonly ScriptSocket[] {
  /** The last socket of each line. */
  const lines = new Map<number, RecordedSocket>()
  const read: ScriptSocket[] = []
  for (const [at, socket] of sockets.entries()) {
    const { messages, openMs } = socket
    const { clientId: client, named } = socketOf(socket)
    const [line = at] =
      [...lines].find(
        ([first, { close }]) =>
          client !== null &&
          read[first]?.client === client &&
          close !== null &&
          close.atMs <= openMs,
      ) ?? []
    lines.set(line, socket)
    const sent = messages
      .filter(({ from }) => from === 'client')
      .map(({ data }) => (typeof data === 'string' ? typeIn(data) : null))
    read.push({ client, namesClient: Boolean(named), sent, openMs, line })
  }
  return read
}

/** Whether a history entry is that of a run that is over. */
const isEntry = (entry: unknown): boolean =>
  typeof entry === 'object' && entry !== null && 'outputs' in entry

/** The last entry of each run in replies that hold entries by id. */
function historyEntriesOf(
  exchanges: readonly ScriptExchange[],
  submits: ReadonlyMap<string, number>,
): ReadonlyMap<string, string> {
  const entries = new Map<string, string>()
  for (const { endpoint, response } of exchanges) {
    if (endpoint !== 'readHistory' && endpoint !== 'readHistoryEntry') continue
    const text = new TextDecoder().decode(response.body)
    const members = membersIn(text)
    const ids = Object.keys(members).filter((id) => submits.has(id) && isEntry(members[id]))
    if (ids.length === 0) continue
    const { spans } = documentIn(text) ?? {}
    for (const id of ids) {
      const span = spans?.get(id)
      if (span !== undefined) entries.set(id, text.slice(...span))
    }
  }
  return entries
}
