// The control API of a gateway elsewhere, if it serves one: makes the routes of a case, and reads what they do.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { OutboxEntry } from 'flowdouble'
import {
  type ListedRun,
  type RouteControl,
  type RouteSettings,
  secretIn,
  type Sender,
  type SenderRoute,
} from '../../generate/sender.ts'
import { type Answer, sendTo } from '../../judge/gateway-subject.ts'
import { CHECK_TEXT, postAs, toChat } from '../../judge/posts.ts'

/** What an agent may take for a run that is part of a case, and how often it is asked for, in milliseconds. */
const MAX_RUN_MS = 15_000
const STEP_MS = 20

/** The routes that each case has: it filters events, delivers directly, fails to deliver, and shares nothing. */
export type CaseRoutes = {
  readonly filtered: SenderRoute & { readonly event: string }
  readonly direct: SenderRoute
  readonly failing: SenderRoute
  readonly second: SenderRoute
}

export type RemoteControl = RouteControl & {
  /** Makes the routes of a case that begins. */
  readonly begin: () => Promise<CaseRoutes>
  /** Removes every route that it has made. */
  readonly end: () => Promise<void>
}

const path = (name: string): string => `/_flowdouble/${name}`

const subscribe = (
  send: ReturnType<typeof sendTo>,
  name: string,
  route: RouteSettings | null,
): Promise<Answer> => send('POST', path('subscriptions'), JSON.stringify({ name, route }))

/** Opens the control API of the gateway at this address, whose routes get this secret. */
function openControl(url: string, secret: string): RemoteControl {
  const send = sendTo(url)
  const change = async (name: string, route: RouteSettings | null): Promise<void> => {
    const { status, body } = await subscribe(send, name, route && { secret, ...route })
    if (status !== 200) throw new Error(`The control API refuses the route: ${status} ${body}`)
  }
  const list = async <T extends { readonly route: string }>(
    name: string,
    { route }: SenderRoute,
    isComplete: (found: readonly T[]) => boolean,
  ): Promise<readonly T[]> => {
    const untilMs = performance.now() + MAX_RUN_MS
    for (;;) {
      const all = (await send('GET', path(name))).json() as readonly T[]
      const found = all.filter((one) => one.route === route)
      if (isComplete(found) || performance.now() > untilMs) return found
      await delay(STEP_MS)
    }
  }
  const made = new Set<string>()
  const newName = (): string => {
    const name = `${madePrefix}${randomUUID().slice(0, 8)}`
    made.add(name)
    return name
  }
  const make = async (settings: RouteSettings): Promise<SenderRoute> => {
    const route = newName()
    await change(route, settings)
    return { route, secret: secretIn(settings, secret) }
  }
  return {
    make,
    attempt: async (settings) => {
      const route = newName()
      await subscribe(send, route, settings)
      return route
    },
    change: ({ route }, settings) => change(route, settings),
    runs: (of) =>
      list<ListedRun>('runs', of, (runs) => runs.every(({ status }) => status !== 'running')),
    deliveries: (of, count) =>
      list<OutboxEntry>('outbox', of, (entries) => entries.length >= count),
    begin: async () => ({
      filtered: { ...(await make({ events: [EVENT] })), event: EVENT },
      direct: await make(direct),
      failing: await make({ ...direct, deliver: 'nowhere' }),
      second: await make({}),
    }),
    end: async () => {
      for (const name of made) await change(name, null)
      made.clear()
    },
  }
}

const EVENT = 'flowdouble-check-event'
const direct = { ...toChat, prompt: CHECK_TEXT }

/** The start of the names of the routes that are made. */
export const madePrefix = 'flowdouble-check-route-'

/** The control API of a gateway, if it lets routes be made and delivers to chats. */
export async function findControl(
  url: string,
  secret: string,
  sender: Sender,
): Promise<RemoteControl | undefined> {
  const send = sendTo(url)
  const { status, body } = await send('GET', path('outbox'))
  if (status !== 200 || !body.startsWith('[')) return undefined
  if ((await subscribe(send, 'flowdouble-check', null)).status !== 200) return undefined
  const control = openControl(url, secret)
  try {
    const to = await control.make(direct)
    const reply = await postAs({ sender, send }, { to, scheme: 'github' })
    return reply.status === 502 ? undefined : control
  } finally {
    await control.end()
  }
}
