// Gateways with a store in a file, and what a kill leaves of it.

import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Gateway, GatewayOptions } from 'flowdouble'
import { type GatewaySubject, sendTo, SECRET, signed } from '../../judge/gateway-subject.ts'
import { folder } from '../folder.ts'

/** The path of a store that does not exist yet. */
export const newStorePath = (): string => join(folder(), 'gateway.sqlite')

/** The files of a SQLite database. */
const suffixes = ['', '-wal']

/** What is on the disk at this moment, as a process that is killed would leave it: the path of another store. */
export function afterKill(path: string): string {
  const copy = newStorePath()
  for (const suffix of suffixes)
    if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix)
  return copy
}

const START_MS = 1_767_225_600_000

const routes = {
  ci: { secret: SECRET, prompt: '{text}', deliver: 'telegram' },
  direct: { secret: SECRET, prompt: '{text}', deliver: 'telegram', deliver_only: true },
}

/** The options of a gateway on a manual clock whose store is in this file. */
const stored = (store: string, options: GatewayOptions): GatewayOptions => ({
  port: 0,
  clock: 'manual',
  epoch: START_MS,
  routes,
  store,
  homeChannels: { telegram: '42' },
  rateLimit: 100_000,
  ...options,
})

/** Starts such a gateway. */
export async function startStored(store: string, options: GatewayOptions = {}): Promise<Gateway> {
  const { startGateway } = await import('flowdouble')
  return startGateway(stored(store, options))
}

/** The same beside that of a case, which may be a wrong one. */
export const startBeside = (
  { also }: GatewaySubject,
  store: string,
  options: GatewayOptions = {},
): Promise<Gateway> => also(stored(store, options))

/** Posts a text to a route with an id; resolves to the status and the JSON of the answer. */
export async function postText(
  { url }: Gateway,
  route: string,
  id: string,
  text: string,
): Promise<{
  readonly status: number
  readonly json: any
  readonly retryAfter: string | undefined
}> {
  const body = JSON.stringify({ text })
  const headers = { ...signed(body), 'X-Request-ID': id }
  const answer = await sendTo(url)('POST', `/webhooks/${route}`, body, headers)
  const { status } = answer
  return { status, json: answer.json(), retryAfter: answer.header('retry-after') }
}
