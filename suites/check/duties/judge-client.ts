// Runs a client on the worlds of duties, and judges what they have seen.

import { type Emulator, startEmulator } from 'flowdouble'
import type { DutyRule } from '../../../spec/server/duties.ts'
import type { Deployment } from '../../../spec/language.ts'
import { type Duty, exitText, type Judgement, notJudged, type WorldOf } from './duty.ts'
import { type ClientEnd, observe, type Observed, type Ordinary, outputNodes } from './observed.ts'

/** What a client gets to know about its server. */
export type ClientTarget = {
  readonly url: string
  readonly deployment: Deployment
  /** The API key of a hosted server; an empty text on local. */
  readonly apiKey: string
  readonly partnerKey: string
  /** The duty that it is watched for; null in the ordinary run. */
  readonly duty: DutyRule | null
}

/** Runs the client once. It resolves when the client has ended, or its time is over. */
export type RunClient = (target: ClientTarget) => Promise<ClientEnd>

const account = {
  user: 'client',
  keys: ['client-key-0123456789'],
  partnerKey: 'partner-key-0123456789',
}

/** A judgement, and what it was based on. */
export type Judged = { readonly judgement: Judgement; readonly seen: Observed }

/** Judges clients on one deployment. */
export type ClientJudge = {
  /** Runs the client on a server on which nothing goes wrong. */
  readonly ordinary: () => Promise<Ordinary>
  /** Judges a duty, with what the ordinary run has shown. */
  readonly judge: (duty: Duty, ordinary: Ordinary) => Promise<Judged>
}

export function clientJudge(deployment: Deployment, runClient: RunClient): ClientJudge {
  const { partnerKey } = account
  const apiKey = deployment === 'hosted' ? (account.keys[0] ?? '') : ''
  const runOn = async ({ url }: Emulator, duty: DutyRule | null): Promise<ClientEnd> =>
    runClient({ url, deployment, apiKey, partnerKey, duty })
  const runIn = (rule: DutyRule, world: WorldOf, isRepeated = false): Promise<Observed> =>
    inWorld(deployment, world, async (server) => {
      if (isRepeated) await runOn(server, rule)
      return observe(server, await runOn(server, rule))
    })
  return {
    ordinary: () =>
      inWorld(deployment, {}, async (server) => {
        const seen = await observe(server, await runOn(server, null))
        return { ...seen, outputNodes: await outputNodes(server, apiKey, seen) }
      }),
    judge: async ({ rule, unless, world, isRepeated = false, counterpart, judge }, ordinary) => {
      const why = unless?.(ordinary)
      if (why !== undefined) return { judgement: notJudged(why), seen: ordinary }
      const seen = world === undefined ? ordinary : await runIn(rule, world(ordinary), isRepeated)
      const other = counterpart === undefined ? seen : await runIn(rule, counterpart)
      return { judgement: judge(seen, ordinary, other), seen }
    },
  }
}

/** Why nothing can be judged: the client fails even if nothing goes wrong. */
export const unable = ({ end, requests }: Observed): string | undefined => {
  if (end.exitCode !== 0)
    return `The command fails on a server on which nothing goes wrong: ${exitText(end)}`
  return requests.length === 0
    ? 'The command succeeds without any request to its server.'
    : undefined
}

/** Starts a world on a free loopback port, and closes it in any case. */
async function inWorld<T>(
  deployment: Deployment,
  { options, scenario }: WorldOf,
  use: (server: Emulator) => Promise<T>,
): Promise<T> {
  const accounts = options?.accounts?.map((one) => ({
    ...account,
    ...one,
    keys: account.keys,
  })) ?? [account]
  const server = await startEmulator({
    pace: 2,
    models: 'any',
    unknownNodes: 'accept',
    ...options,
    deployment,
    port: 0,
    ...(deployment === 'hosted' && { accounts }),
    scenario: { version: 1, ...scenario },
  })
  try {
    return await use(server)
  } finally {
    await server.close()
  }
}
