// A server elsewhere that `check` judges: every request to it is looked at before it leaves, what it makes is written
// down, and waiting for it has an end.

import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Allowance, TargetOptions } from '../../spec/check.ts'
import type { Deployment } from '../../spec/language.ts'
import { createHttpClient } from '../judge/http-client.ts'
import { listedIds, looseJson } from '../judge/own-runs.ts'
import { createOnce, type Subject, subjectFor } from '../judge/subject.ts'
import { testToken } from '../judge/proves.ts'
import { type Outgoing, watchTraffic } from '../judge/traffic.ts'
import type { WireLine } from './events.ts'
import { classTypesOf, type Deed, deedOf, guardedRequest, lackFor, ownFolder } from './guard.ts'
import { keepFile, type KeptFiles, putBack } from './kept.ts'
import type { Ledger } from './ledger.ts'
import { missing, Skip } from '../judge/skip.ts'
import { createWorkloads } from './workloads.ts'

/** What probing has found out about a server. */
export type Target = {
  readonly url: string
  readonly deployment: Deployment
  /** The declaration of each node type that it lists. */
  readonly types: Readonly<Record<string, any>>
  /** Its software with the version, as it says itself. */
  readonly software: string | null
}

/** The longest time that a case waits for a message, in milliseconds. */
const MAX_WAIT_MS = 15_000
/** How many of the latest runs show whether somebody else uses the server. */
const RECENT_RUNS = 30

/** The names under which the cases know the keys of their worlds. A name stands before those that it contains. */
const keyNames = ['test-key-free', 'test-key', 'other-key', testToken] as const
/** The key for partner nodes in the worlds of the suites. */
const partnerKeyName = 'test-partner-key'
type KeyName = (typeof keyNames)[number]

/** A case while it runs. */
export type Running = {
  readonly wire: WireLine[]
  readonly runs: Set<string>
  /** What it did that has to be allowed. */
  readonly needs: Set<Allowance>
  readonly files: KeptFiles
  /** The folder that only this case uses. */
  readonly folder: string
  /** Whether it sends the bearer token itself. */
  readonly isAboutToken: boolean
  /** The last request, for a line that repeats it. */
  last?: Outgoing
  /** Set when the case has ended: what follows is the clean-up of the runner. */
  hasEnded?: true
  /** How long it has waited for the rate limit of the server, in milliseconds. */
  waitedMs?: number
}

export type CheckedServer = {
  /** Runs a body on a subject of this server. What happens on the wire is written down in `running`. */
  readonly use: (running: Running, body: (subject: any) => Promise<void>) => Promise<void>
  /** How many runs it has accepted from us. */
  readonly runs: () => number
  /** Whether runs of others have arrived since the last call. */
  readonly isDisturbed: () => Promise<boolean>
}

/** Opens a server. */
export function openTarget(target: Target, options: TargetOptions, ledger: Ledger): CheckedServer {
  const { url, deployment, types } = target
  const store = new AsyncLocalStorage<Running>()
  const startMs = performance.now()
  const allowed: ReadonlySet<Allowance> = new Set(options.allow)
  const own = new Set<string>()
  let runs = 0

  const keys: Readonly<Record<KeyName, string | undefined>> = {
    'test-key': options.key,
    'other-key': options.secondKey,
    'test-key-free': options.freeKey,
    [testToken]: options.token,
  }
  /** A text in which the keys of the suites' worlds are replaced by those of the operator. */
  const withKeys = (text: string): string =>
    keyNames.reduce((sum, name) => {
      const escaped = encodeURIComponent(name)
      if (!sum.includes(name) && !sum.includes(escaped)) return sum
      const key = keys[name]
      if (key === undefined) throw new Skip('no-key', `It needs ${flagOf[name]}.`)
      const whole = sum.replaceAll(name, key)
      return escaped === name ? whole : whole.replaceAll(escaped, encodeURIComponent(key))
    }, text)
  const hidden = (text: string): string =>
    Object.values(keys).reduce<string>(
      (sum, key) => (key === undefined ? sum : sum.replaceAll(key, '$FLOWDOUBLE_KEY')),
      text,
    )
  const withoutSecrets = (request: Outgoing): Outgoing => ({
    ...request,
    path: hidden(request.path),
    headers: {
      ...mapValues(request.headers, hidden),
      ...mapValues(options.headers, () => '$FLOWDOUBLE_KEY'),
    },
    body: typeof request.body === 'string' ? hidden(request.body) : request.body,
  })
  const note = (direction: WireLine['direction'], text: string): void => {
    const atMs = Math.round(performance.now() - startMs)
    const running = store.getStore()
    if (!running?.hasEnded) running?.wire.push({ atMs, direction, text: hidden(text) })
  }

  /** The token, unless the case is about it. */
  const bearer = (): Readonly<Record<string, string>> =>
    options.token === undefined || store.getStore()?.isAboutToken
      ? {}
      : { Authorization: `Bearer ${options.token}` }

  const permit = (needs: readonly Allowance[]): void => {
    for (const one of needs) store.getStore()?.needs.add(one)
    const refused = needs.filter((one) => !allowed.has(one))
    if (refused.length > 0) throw new Skip('not-allowed', `It needs --allow ${refused.join(',')}.`)
  }
  const permitSubmit = ({ graph, prompt_id }: NonNullable<Deed['submits']>): void => {
    if (options.isReadOnly) throw new Skip('not-allowed', '--read-only submits nothing.')
    if (runs >= options.maxRuns) throw new Skip('budget', `${options.maxRuns} runs are used up.`)
    const names = classTypesOf(graph)
    const testNode = names.find((name) => name.startsWith('Flowdouble'))
    if (testNode !== undefined) throw new Skip('own-world', `It needs the test node ${testNode}.`)
    const lack = lackFor(graph, types)
    if (lack !== undefined) throw missing(lack)
    if (names.some((name) => types[name]?.api_node === true)) permit(['paid'])
    if (prompt_id !== undefined) remember(prompt_id)
  }
  const remember = (prompt_id: string): void => {
    own.add(prompt_id)
    store.getStore()?.runs.add(prompt_id)
    ledger.add({ kind: 'run', name: prompt_id })
  }
  const guard = async (request: Outgoing): Promise<void> => {
    if (!isAt(request.url, url)) return
    const body =
      typeof request.body === 'string' ? request.body : Buffer.from(request.body).toString('latin1')
    if (deployment === 'hosted' && body.includes(partnerKeyName))
      throw new Skip('no-key', 'It needs a key for partner nodes.')
    const deed = deedOf(guardedRequest(request.method, request.path, body))
    const { needs, makes, writes = [] } = deed
    if (options.isReadOnly && (needs.length > 0 || makes || writes.length > 0))
      throw new Skip('not-allowed', '--read-only changes nothing.')
    permit(needs)
    if (deed.submits) permitSubmit(deed.submits)
    if (makes) ledger.add(makes)
    const running = store.getStore()
    if (running) for (const name of writes) await keepFile(running.files, ledger, request, name)
  }

  watchTraffic(url, {
    request: async (request) => {
      const headers = mapValues({ ...options.headers, ...request.headers }, withKeys)
      for (const [name, value] of Object.entries(bearer())) headers[name] ??= value
      const sent = { ...request, headers, path: withKeys(request.path) }
      await guard(sent)
      const running = store.getStore()
      if (running && !running.hasEnded) running.last = withoutSecrets(sent)
      note('sent', `${sent.method} ${sent.path}${bodyText(sent.body)}`)
      return sent
    },
    reply: (request, status, body) => {
      note('received', `${status} ${body}`)
      if (status !== 200 || !/^POST (\/api)?\/prompt$/.test(`${request.method} ${request.path}`))
        return
      const prompt_id = /"prompt_id":\s*"([^"]+)"/.exec(body)?.[1]
      if (prompt_id === undefined) return
      runs++
      remember(prompt_id)
    },
    socket: (_, path) => {
      const at = withKeys(path)
      note('sent', `GET ${at} (WebSocket)`)
      return at
    },
    socketHeaders: () => ({ ...bearer(), ...options.headers }),
    message: note,
  })

  /** Waits until none of these runs is in the queue. */
  const idle = async (subject: Subject, { runs: mine }: Running): Promise<void> => {
    const endMs = performance.now() + MAX_WAIT_MS
    for (let waitMs = 5; ; waitMs = Math.min(waitMs * 2, 200)) {
      const { running, pending } = await listedIds(subject)
      if (![...running, ...pending].some((id) => mine.has(id))) return
      if (performance.now() > endMs)
        throw new Error(`A run has not ended in ${MAX_WAIT_MS / 1000} s.`)
      await delay(waitMs)
    }
  }
  /** Stops what a case has left in the queue. */
  const stopRuns = async (subject: Subject, { runs: mine }: Running): Promise<void> => {
    if (mine.size === 0) return
    const { running, pending } = await listedIds(subject)
    const ours = (ids: readonly string[]): readonly string[] => ids.filter((id) => mine.has(id))
    if (ours(pending).length > 0) await subject.post('/queue', { delete: ours(pending) })
    for (const prompt_id of ours(running)) await subject.post('/interrupt', { prompt_id })
    await idle(subject, { ...newRunning(), runs: mine })
  }
  const patience = async (): Promise<string> => {
    await delay(MAX_WAIT_MS, undefined, { ref: false })
    return `It did not arrive within ${MAX_WAIT_MS / 1000} s.`
  }

  const workloads = createWorkloads(types)
  const once = createOnce()
  const use: CheckedServer['use'] = (running, body) =>
    store.run(running, async () => {
      const { folder } = running
      const client = createHttpClient(url)
      const shared = {
        url,
        deployment,
        client,
        sessions: [],
        get emulator(): never {
          throw new Skip('own-world', 'It looks into the world or moves its clock.')
        },
        time: {
          patience,
          reach: (session, matches, withinMs) =>
            withinMs === undefined
              ? session.next(matches)
              : Promise.race([session.next(matches), tooLate(withinMs)]),
          idle: () => forEachKey((one) => idle(one, running)),
        },
        workloads,
        token: options.token ?? '',
        unique: (path) => (path === '' ? folder : `${folder}/${path}`),
        permit: (...needs) => permit(needs),
        isOwn: false,
        once,
        close: async () => undefined,
      } satisfies Parameters<typeof subjectFor>[0]
      const subject: Subject = subjectFor(shared, deployment === 'hosted' ? 'test-key' : '')
      /** Looks after the runs of both accounts that cases use. */
      const forEachKey = async (look: (one: Subject) => Promise<void>): Promise<void> => {
        await look(subject)
        if (deployment === 'hosted' && options.secondKey !== undefined)
          await look(subject.as('other-key'))
      }
      try {
        await body(subject)
      } finally {
        running.hasEnded = true
        // What cannot be stopped or put back says nothing about the rule of the case; the ledger keeps it.
        await forEachKey((one) => stopRuns(one, running)).catch(() => undefined)
        await putBack(running.files, ledger, folder).catch(() => undefined)
        await subject.close()
      }
    })
  const foreign = new Set<string>()
  const learnForeign = async (subject: Subject): Promise<void> => {
    const { running, pending } = await listedIds(subject)
    const history = looseJson((await subject.get(`/history?max_items=${RECENT_RUNS}`)).text)
    const over: readonly string[] =
      subject.deployment === 'hosted'
        ? history.history.map(({ prompt_id }: { prompt_id: string }) => prompt_id)
        : Object.keys(history)
    for (const id of [...running, ...pending, ...over]) if (!own.has(id)) foreign.add(id)
  }
  const isDisturbed = async (): Promise<boolean> => {
    const before = foreign.size
    // A server whose listings cannot be read is judged by what the case saw.
    await use(newRunning(), learnForeign).catch(() => undefined)
    return foreign.size > before
  }
  return { use, runs: () => runs, isDisturbed }
}

/** A case that begins. */
export const newRunning = (isAboutToken = false): Running => ({
  isAboutToken,
  wire: [],
  runs: new Set(),
  needs: new Set(),
  files: new Map(),
  folder: `${ownFolder}/${randomUUID().slice(0, 8)}`,
})

const flagOf: Readonly<Record<KeyName, string>> = {
  'test-key': '--key',
  'other-key': '--second-key',
  'test-key-free': '--free-key',
  [testToken]: '--token',
}

const tooLate = async (withinMs: number): Promise<never> => {
  await delay(withinMs, undefined, { ref: false })
  throw new Error(`It did not arrive within ${withinMs / 1000} s.`)
}

const isAt = (url: string, base: string): boolean => new URL(url).host === new URL(base).host

const mapValues = (
  values: Readonly<Record<string, string>>,
  change: (value: string) => string,
): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))

/** The beginning of a body for the log of the wire. */
function bodyText(body: string | Uint8Array): string {
  if (body.length === 0) return ''
  return ` ${Buffer.from(body.slice(0, 2000) as Uint8Array).toString()}`
}
