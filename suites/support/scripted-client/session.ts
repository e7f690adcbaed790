// What a run of the scripted client knows: its server, its flaws, requests and waiting times.

import { setTimeout as wait } from 'node:timers/promises'
import type { DutyRule } from '../../../spec/server/duties.ts'
import type { ClientTarget } from '../../check/duties/judge-client.ts'

/** A duty that the client breaks. */
export type Flaw = DutyRule extends `duties/${infer Name}` ? Name : never

/** How it follows a run: by the socket, asking when that is quiet; by asking alone; or by the socket, rarely asking. */
export type Habit = 'both' | 'polls' | 'sockets'

export type Session = ClientTarget & {
  readonly has: (flaw: Flaw) => boolean
  readonly habit: Habit
  /** Sends a request to a path in local form, and returns the reply whatever its status. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>
}

/** The client gives up, and says why. */
export class GivesUp extends Error {}

/** The client would wait forever: its caller does not wait for that. */
export class Hangs extends Error {}

/** How long it waits between two requests for a state. */
const POLL_MS = 60

export const pause = (ms = POLL_MS): Promise<void> => wait(ms)

/** The most replies with a waiting time, or without sense, that it accepts in a row. */
const PATIENCE = 3

export function newSession(target: ClientTarget, flaws: readonly Flaw[], habit: Habit): Session {
  const has = (flaw: Flaw): boolean => flaws.includes(flaw)
  const { url, deployment, apiKey } = target
  const headers = { 'X-API-Key': apiKey }
  const ask: Session['ask'] = (path, init = {}) =>
    deployment === 'local'
      ? fetch(url + path, init)
      : fetch(`${url}/api${path}`, { ...init, headers, redirect: 'manual' })
  return { ...target, has, habit, ask }
}

/** Sends a request, again after a waiting time or an error of a proxy; gives up after any other error. */
export async function insist(
  session: Session,
  flaw: Flaw,
  path: string,
  init?: RequestInit,
): Promise<Response> {
  for (let left = PATIENCE; ; left--) {
    const reply = await session.ask(path, init)
    if (reply.status < 400) return reply
    const seconds = reply.headers.get('retry-after')
    const isPassing = seconds !== null || reply.status === 502
    if (!isPassing || left === 0 || (reply.status === 502 && session.has('bad-gateway')))
      throw new GivesUp(`${path} ${reply.status} ${await reply.text()}`)
    await pause(session.has(flaw) ? 0 : Number(seconds ?? 0) * 1000 || POLL_MS)
  }
}
