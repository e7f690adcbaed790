// A server elsewhere that `check` judges: every request to it is looked at before it leaves, what it makes is written
// down, and waiting for it has an end.

import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Allowance, CheckOptions } from '../../spec/check.ts'
import type { Deployment } from '../../spec/language.ts'
import { createHttpClient } from '../judge/http-client.ts'
import { listedIds } from '../judge/own-runs.ts'
import { type Subject, subjectFor } from '../judge/subject.ts'
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
}

/** The longest time that a case waits for a message, in milliseconds. */
const MAX_WAIT_MS = 15_000

/** The names under which the cases know the keys of their worlds. A name stands before those that it contains. */
const keyNames = ['test-key-free', 'test-key', 'other-key', testToken] as const
/** The key for partner nodes in the worlds of the suites. */
const partnerKeyName = 'test-partner-key'
type KeyName = (typeof keyNames)[number]

/** A case while it runs. */
export type Running = {
  readonly wire: WireLine[]
  readonly runs: Set<string>
  readonly files: KeptFiles
  /** The folder that only this case uses. */
  readonly folder: string
  /** Whether it sends the bearer token itself. */
  readonly isAboutToken: boolean
  /** The last request, for a line that repeats it. */
  last?: Outgoing
}

export type CheckedServer = {
  /** Runs a body on a subject of this server. What happens on the wire is written down in `running`. */
  readonly use: (running: Running, body: (subject: Subject) => Promise<void>) => Promise<void>
  /** How many runs it has accepted from us. */
  readonly runs: () => number
}

/** Opens a server. */
export function openTarget(target: Target, options: CheckOptions, ledger: Ledger): CheckedServer {
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
  const note = (direction: WireLine['direction'], text: string): void => {
    const atMs = Math.round(performance.now() - startMs)
    store.getStore()?.wire.push({ atMs, direction, text: hidden(text) })
  }

  /** The token, unless the case is about it. */
  const bearer = (): Readonly<Record<string, string>> =>
    options.token === undefined || store.getStore()?.isAboutToken
      ? {}
      : { Authorization: `Bearer ${options.token}` }

  const permit = (needs: readonly Allowance[]): void => {
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

  watchTraffic({
    request: async (request) => {
      const headers = mapValues({ ...options.headers, ...request.headers }, withKeys)
      for (const [name, value] of Object.entries(bearer())) headers[name] ??= value
      const sent = { ...request, headers, path: withKeys(request.path) }
      await guard(sent)
      const running = store.getStore()
      if (running) running.last = sent
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
          reach: (session, matches) => session.next(matches),
          idle: () => forEachKey((one) => idle(one, running)),
        },
        workloads,
        token: options.token ?? '',
        unique: (path) => (path === '' ? folder : `${folder}/${path}`),
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
        await forEachKey((one) => stopRuns(one, running))
        await putBack(running.files, ledger, folder)
        await subject.close()
      }
    })
  return { use, runs: () => runs }
}

/** A case that begins. */
export const newRunning = (isAboutToken = false): Running => ({
  isAboutToken,
  wire: [],
  runs: new Set(),
  files: new Map(),
  folder: `${ownFolder}/${randomUUID().slice(0, 8)}`,
})

const flagOf: Readonly<Record<KeyName, string>> = {
  'test-key': '--key',
  'other-key': '--second-key',
  'test-key-free': '--free-key',
  [testToken]: '--token',
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
