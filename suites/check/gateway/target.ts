// A gateway elsewhere that `check` judges: its posts are counted, its secret stays hidden, and a 429 is waited out.

import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { CheckOptions, GatewayFacts, TargetOptions } from '../../../spec/check.ts'
import type { SchemeName } from '../../../spec/gateway/signatures.ts'
import { limits } from '../../../spec/limits.ts'
import { type Answer, type GatewaySubject, sendTo } from '../../judge/gateway-subject.ts'
import { schemeNames } from '../../generate/senders.ts'
import type { Sender } from '../../generate/sender.ts'
import { watchTraffic } from '../../judge/traffic.ts'
import { createRecorder } from '../../laws/recorder.ts'
import { Skip } from '../../judge/skip.ts'
import { decodedPath } from '../guard.ts'
import type { CheckedServer, Running } from '../running.ts'
import { type GatewayTarget, probeGateway } from './probe.ts'
import { wrongUse } from '../usage.ts'
import { type CaseRoutes, madePrefix, findControl, type RemoteControl } from './control.ts'

/** The longest time that a post is sent again after 429, and the time between two attempts, in milliseconds. */
const MAX_LIMITED_MS = 70_000
const LIMITED_STEP_MS = 3000
/** How often the clock of a gateway is looked at during a pause, in milliseconds. */
const PAUSE_STEP_MS = 200

export type CheckedGateway = { readonly target: GatewayTarget; readonly server: CheckedServer }

/** Asks a gateway what it is, and opens it. */
export async function openGateway(
  options: CheckOptions & Pick<TargetOptions, 'maxRuns'>,
  facts: GatewayFacts,
  signal?: AbortSignal,
): Promise<CheckedGateway> {
  const store = new AsyncLocalStorage<Running>()
  const { accepted, window } = watchPosts(options, facts, store)
  const waited = (ms: number): void => {
    const running = store.getStore()
    if (running) running.waitedMs = (running.waitedMs ?? 0) + ms
  }
  const permit = (): void => {
    if (options.isReadOnly)
      throw new Skip('not-allowed', '--read-only sends no post that can be accepted.')
    if (accepted() >= options.maxRuns)
      throw new Skip('budget', `${options.maxRuns} accepted posts are used up.`)
  }
  const made: Origin['made'] = {}
  const senderBy = (found: Origin['found']): Sender =>
    senderOf({
      made,
      url: options.url,
      facts,
      found,
      permit,
      room: (posts) => window.room(posts, waited),
      pause: async (ms) => {
        store.getStore()?.needs.add('slow')
        if (!options.allow.includes('slow')) throw new Skip('not-allowed', 'It needs --allow slow.')
        await passes(options.url, ms, waited)
      },
    })
  const target = await probeGateway(options, facts, senderBy({ schemes: [], kind: 'runs' }), signal)
  const sender = senderBy(target)
  if (facts.hasControl) made.control = await findControl(options.url, facts.secret, sender)
  const subject = subjectOf(options.url, sender, waited)
  const use: CheckedServer['use'] = (running, body) =>
    store.run(running, async () => {
      made.routes = await made.control?.begin()
      try {
        await body(subject)
      } finally {
        await made.control?.end()
      }
    })
  return { target, server: { use, runs: accepted, isDisturbed: () => Promise.resolve(false) } }
}

/** What a sender is made of. */
type Origin = {
  readonly url: string
  readonly facts: GatewayFacts
  readonly found: Pick<GatewayTarget, 'schemes' | 'kind'>
  /** What the control API offers to the case that runs, if there is one. */
  readonly made: { control?: RemoteControl | undefined; routes?: CaseRoutes | undefined }
  /** Throws if no further post may be accepted. */
  readonly permit: () => void
} & Pick<Sender, 'room' | 'pause'>

function senderOf({ url, facts, found, made, permit, room, pause }: Origin): Sender {
  const { route, secret, event, second } = facts
  const { schemes, kind } = found
  const missing = (detail: string): never => {
    throw new Skip('missing', detail)
  }
  const knownId = newId()
  const usual =
    schemeOf(facts.scheme) ?? (schemes.includes('github') ? 'github' : schemes[0]) ?? 'github'
  return {
    route,
    get secret() {
      permit()
      return facts.secret
    },
    get second() {
      permit()
      return second ?? made.routes?.second ?? missing('It needs --second-route.')
    },
    get filtered() {
      permit()
      if (event === undefined)
        return made.routes?.filtered ?? missing('It needs --event and --filtered-route.')
      return { route: facts.filtered ?? route, secret, event }
    },
    get direct() {
      permit()
      const own = facts.direct ?? (kind === 'direct' ? route : undefined)
      if (own !== undefined) return { route: own, secret }
      return made.routes?.direct ?? missing('It needs --direct-route.')
    },
    get failing() {
      permit()
      const own = facts.failing ?? (kind === 'failing' ? route : undefined)
      if (own !== undefined) return { route: own, secret }
      return made.routes?.failing ?? missing('It needs --failing-route.')
    },
    get control() {
      permit()
      if (made.control !== undefined) return made.control
      throw new Skip('unseen', 'It makes routes, and reads what became of a post.')
    },
    event: event ?? 'flowdouble-check',
    scheme: usual,
    schemes,
    rateLimit: facts.rateLimit ?? limits.webhookRate.value,
    maxBodyBytes: facts.maxBodyBytes ?? limits.webhookBody.value,
    knownId,
    newId,
    now: () => secondsOf(url),
    room,
    pause,
    missing,
  }
}

/** The scheme of this name. Throws an error with the code USAGE for an unknown name. */
function schemeOf(name: string | undefined): SchemeName | undefined {
  const found = schemeNames.find((one) => one === name)
  if (name === undefined || found !== undefined) return found
  throw wrongUse(`Unknown --scheme ${JSON.stringify(name)}. It is ${schemeNames.join(', ')}.`)
}

const newId = (): string => `flowdouble-check-${randomUUID()}`

/** Waits for so long on the clock of a gateway, which may pass faster than ours, or stand still. */
async function passes(url: string, ms: number, waited: (ms: number) => void): Promise<void> {
  const [start, startMs] = [await secondsOf(url), performance.now()]
  const leftMs = (): number => startMs + ms - performance.now()
  // A second more, because its seconds are whole.
  while (leftMs() > 0 && (await secondsOf(url)) - start < ms / 1000 + 1) {
    const stepMs = Math.min(leftMs(), PAUSE_STEP_MS)
    await delay(stepMs)
    waited(stepMs)
  }
}

/** The clock of a gateway, by the date in its answers, else our own. */
async function secondsOf(url: string): Promise<number> {
  const { header } = await sendTo(url)('GET', '/health')
  const ms = Date.parse(header('date') ?? '')
  return Math.floor((Number.isNaN(ms) ? Date.now() : ms) / 1000)
}

function subjectOf(url: string, sender: Sender, waited: (ms: number) => void): GatewaySubject {
  const inside = (): never => {
    throw new Skip('own-world', 'It looks into the gateway or moves its clock.')
  }
  const send = sendTo(url)
  return {
    url,
    isOwn: false,
    sender,
    // Nothing is recorded, so that the laws find nothing.
    ...createRecorder('gateway').traffic,
    get gateway() {
      return inside()
    },
    get logs() {
      return inside()
    },
    texts: inside,
    idle: inside,
    post: inside,
    also: inside,
    send: (method, path, body, headers) =>
      patiently(() => send(method, path, body, headers), waited),
    close: () => Promise.resolve(),
  }
}

/** Sends a request again as long as the rate limit refuses it. */
async function patiently(
  send: () => Promise<Answer>,
  waited: (ms: number) => void,
): Promise<Answer> {
  for (let ms = 0; ; ms += LIMITED_STEP_MS) {
    const reply = await send()
    if (reply.status !== 429 || ms >= MAX_LIMITED_MS) return reply
    await delay(LIMITED_STEP_MS)
    waited(LIMITED_STEP_MS)
  }
}

/** Watches the posts to a gateway: how many it accepted, and how many count against its limit. */
function watchPosts(
  { url, headers: further }: CheckOptions,
  { route, secret, second, rateLimit = limits.webhookRate.value }: GatewayFacts,
  store: AsyncLocalStorage<Running>,
) {
  const startMs = performance.now()
  const window = createWindow(rateLimit, () => performance.now())
  let accepted = 0
  const secrets = [secret, second?.secret ?? ''].filter((one) => one !== '')
  const hidden = (text: string): string =>
    secrets.reduce((sum, one) => sum.replaceAll(one, '$FLOWDOUBLE_SECRET'), text)
  const note = (direction: 'sent' | 'received', text: string): void => {
    const atMs = Math.round(performance.now() - startMs)
    store.getStore()?.wire.push({ atMs, direction, text: hidden(text) })
  }
  watchTraffic(url, {
    request: (request) => ({ ...request, headers: { ...further, ...request.headers } }),
    guard: (sent, isWhole) => {
      if (!isWhole) return Promise.resolve()
      const running = store.getStore()
      const shown = Object.entries(sent.headers).map(([name, value]) => [name, hidden(value)])
      if (running) running.last = { ...sent, headers: Object.fromEntries(shown) }
      const lines = shown.map(([name, value]) => ` ${name}: ${value};`).join('')
      const text = Buffer.from(sent.body.slice(0, 1000) as Uint8Array).toString()
      note('sent', `${sent.method} ${sent.path}${lines} ${text}`)
      return Promise.resolve()
    },
    guardMessage: () => undefined,
    reply: ({ method, path }, status, body) => {
      note('received', `${status} ${body}`)
      if (method !== 'POST' || !path.includes('/webhooks/')) return
      const name = decodedPath(path).slice('/webhooks/'.length)
      if (name.startsWith(route)) window.add(status)
      // Only a test double lets routes be made: their runs cost nothing.
      if (name.startsWith(madePrefix)) return
      if (status !== 202 && status !== 502 && !body.includes('"delivered"')) return
      accepted++
      store.getStore()?.runs.add(`post ${accepted}`)
    },
    socket: (_, path) => path,
    socketHeaders: () => ({}),
    message: note,
  })
  return { accepted: () => accepted, window }
}

/** How long a post counts, with a second to spare. */
const WINDOW_MS = 61_000
const STEP_MS = 500

/** The statuses of posts that count against the limit: those with a valid signature. */
const counted: ReadonlySet<number> = new Set([200, 202, 400, 413, 500, 502, 503])

type RateWindow = {
  readonly add: (status: number) => void
  /** Waits until there is room for so many posts, and calls `waited` with the time, step by step. */
  readonly room: (posts: number, waited: (ms: number) => void) => Promise<void>
}

/** The window of one route. */
function createWindow(rateLimit: number, nowMs: () => number): RateWindow {
  let times: readonly number[] = []
  const current = (): readonly number[] => {
    times = times.filter((one) => one > nowMs() - WINDOW_MS)
    return times
  }
  return {
    add: (status) => {
      if (counted.has(status)) times = [...current(), nowMs()]
    },
    room: async (posts, waited) => {
      while (current().length > 0 && current().length + posts > rateLimit) {
        await delay(STEP_MS)
        waited(STEP_MS)
      }
    },
  }
}
