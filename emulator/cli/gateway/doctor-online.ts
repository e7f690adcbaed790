// The checks of the doctor that ask others: the platforms, and the public address of the gateway.

import { senders, type Sender } from '../../../spec/gateway/deliveries.ts'
import { type Probe, probes } from '../../../spec/gateway/doctor.ts'
import { limits } from '../../../spec/limits.ts'
import { isDone, objectIn, postBytes } from '../../edge/gateway/call.ts'
import type { SenderSettings } from '../../edge/gateway/sender-settings.ts'
import type { Fault } from '../../gateway/route-checks.ts'
import { healthAt } from './doctor-address.ts'
import type { Examined, SetUpReport } from './doctor-checks.ts'
import { type Finding, ok, problem, skipped } from './findings.ts'

const PROBE_TIMEOUT_MS = 10_000

/** What asking has found: each platform with a credential, the base URL, and the clock. */
export async function askOthers(
  { signal }: Examined,
  { settings, platforms, isRunning }: SetUpReport,
): Promise<readonly Finding[]> {
  const probed = Object.entries(platforms?.senders ?? {}).filter(([, one]) => one.token !== null)
  const replies = await Promise.all(probed.map(([target, one]) => probe(target, one, signal)))
  return [
    ...platformFindings(replies),
    await publicFinding(settings?.base_url ?? null, isRunning, signal),
    clockFinding(replies.flatMap(({ offMs }) => (Number.isNaN(offMs) ? [] : offMs))),
  ]
}

type Probed = {
  readonly target: string
  readonly fault: Fault | undefined
  /** How far the clock of the platform is ahead, in milliseconds; NaN if it does not say. */
  readonly offMs: number
}

const calls: Readonly<Record<string, Probe>> = probes
const table: Readonly<Record<string, Sender>> = senders

/** Asks a platform who a credential belongs to. */
async function probe(
  target: string,
  { token, baseUrl }: SenderSettings,
  user: AbortSignal | undefined,
): Promise<Probed> {
  const { headers, tokenVariable, successMember } = table[target] as Sender
  const { method, path } = calls[target] as Probe
  const filled = (text: string): string => text.replaceAll('{token}', () => token ?? '')
  const own = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, filled(value)]),
  )
  const limit = AbortSignal.timeout(PROBE_TIMEOUT_MS)
  const signal = user === undefined ? limit : AbortSignal.any([user, limit])
  const startMs = Date.now()
  try {
    const options = { signal, maxBytes: 2 ** 20, method, cutsReply: true }
    const url = new URL(baseUrl + filled(path))
    const { status, text, dateMs } = await postBytes(url, own, new Uint8Array(), options)
    const isRight =
      isDone(status) && (successMember === undefined || objectIn(text)?.[successMember] === true)
    const fault = isRight ? undefined : refused(target, status, tokenVariable)
    return { target, fault, offMs: dateMs - (startMs + Date.now()) / 2 }
  } catch (error) {
    const what = signal.aborted ? 'no answer in time' : (error as Error).message
    return { target, fault: outOfReach(target, baseUrl, what), offMs: NaN }
  }
}

const refused = (target: string, status: number, variable: string): Fault => ({
  what: `${target} does not accept its credential (status ${status})`,
  why: 'Each delivery to it fails.',
  mend: `Get a new one from the platform, and set ${variable}, or platforms.${target}.token of config.yaml.`,
})

const outOfReach = (target: string, baseUrl: string, why: string): Fault => ({
  what: `${target} cannot be reached at ${new URL(baseUrl).origin} (${why})`,
  why: 'Each delivery to it fails.',
  mend: `Check names and firewall of this machine: curl -I ${new URL(baseUrl).origin}`,
})

function platformFindings(replies: readonly Probed[]): readonly Finding[] {
  const check = 'platforms'
  if (replies.length === 0) return [skipped(check, 'No platform has a credential')]
  return replies.map(({ target, fault }) =>
    fault === undefined ? ok(check, `${target} accepts its credential`) : problem(check, fault),
  )
}

async function publicFinding(
  baseUrl: string | null,
  isRunning: boolean,
  signal: AbortSignal | undefined,
): Promise<Finding> {
  const check = 'public'
  if (baseUrl === null) return skipped(check, 'There is no base URL')
  if (!isRunning) return skipped(check, 'The gateway does not run')
  const reason = await healthAt(baseUrl, signal).then(
    (health) => (health === undefined ? 'another answer' : undefined),
    (error: unknown) => (error as Error).message,
  )
  if (reason === undefined) return ok(check, `${baseUrl} leads to a gateway`)
  return problem(check, {
    what: `${baseUrl}/health does not lead to the gateway (${reason})`,
    why: 'Senders cannot post to the addresses that are printed.',
    mend: 'Let the proxy or tunnel pass /webhooks/ and /health below the base URL to the host and port of the gateway.',
  })
}

/** The clock, by the platform that differs least. */
function clockFinding(offsMs: readonly number[]): Finding {
  const check = 'clock'
  if (offsMs.length === 0) return skipped(check, 'No platform has said its time')
  const offMs = Math.min(...offsMs.map(Math.abs))
  const seconds = Math.round(offMs / 1000)
  if (seconds <= limits.doctorClock.value)
    return ok(check, 'The time of day agrees with that of the platforms')
  return problem(check, {
    what: `The time of day differs by ${seconds} seconds from that of the platforms`,
    why: 'Signed times of senders are compared with it: their posts are refused as too old.',
    mend: 'timedatectl set-ntp true',
  })
}
