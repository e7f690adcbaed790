// The checks of the doctor on addresses: the base URL, and the host and port of the gateway.

import { configFiles } from '../../../spec/gateway/subscriptions.ts'
import { baseUrlOf, type Settings } from '../../config/settings.ts'
import { objectIn, postBytes } from '../../edge/gateway/call.ts'
import type { Fault } from '../../gateway/route-checks.ts'
import { isLoopback, isPrivateHost } from '../../lib/loopback.ts'
import { type Finding, note, ok, problem, problemsOr } from './findings.ts'
import { publicFaults } from './set-up-faults.ts'

/** Whether senders elsewhere can use the addresses that the commands print. */
export function baseUrlFindings(settings: Settings): readonly Finding[] {
  const check = 'base-url'
  const { base_url, host } = settings
  const setting = `platforms.webhook.extra.base_url of ${configFiles.config.name}`
  const faults: Fault[] = [...publicFaults(settings)]
  if (base_url === null) {
    const local = note(check, {
      what: `Without a base URL the addresses of routes begin with ${baseUrlOf(settings)}`,
      why: isLoopback(host)
        ? 'Only senders on this machine reach them.'
        : 'Senders may know this machine by another name.',
      mend: `Set ${setting} to what senders use, such as https://hooks.example.`,
    })
    return faults.length === 0 ? [local] : [...faults.map((one) => problem(check, one)), local]
  }
  const { protocol, hostname, pathname } = new URL(base_url)
  const routePath = /\/webhooks(\/.*)?$/.exec(pathname)?.[0]
  if (routePath !== undefined)
    faults.push({
      what: `The base URL ends in ${routePath}`,
      why: `The address of a route would be ${base_url}/webhooks/NAME.`,
      mend: `Set ${setting} to ${base_url.slice(0, -routePath.length)}.`,
    })
  if (isPrivateHost(hostname))
    faults.push({
      what: `The base URL names ${hostname}, which only this machine or network reaches`,
      why: 'Senders elsewhere cannot post to it.',
      mend: `Set ${setting} to the public name of the proxy or tunnel.`,
    })
  else if (protocol !== 'https:')
    faults.push({
      what: 'The base URL begins with http://',
      why: 'Others can read what is posted, and tokens among the headers.',
      mend: `Put a proxy with TLS before the gateway, and set ${setting} to its https:// address.`,
    })
  return problemsOr(check, faults, `Senders post to ${base_url}`)
}

const ADDRESS_TIMEOUT_MS = 10_000

/** The health that an address reports; undefined for the answer of another program. Rejects if nobody answers. */
export async function healthAt(
  base: string,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const limit = AbortSignal.timeout(ADDRESS_TIMEOUT_MS)
  const reply = await postBytes(new URL(`${base}/health`), {}, new Uint8Array(), {
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    maxBytes: 2 ** 16,
    method: 'GET',
    cutsReply: true,
  })
  const health = objectIn(reply.text)
  return reply.status === 200 && health?.['platform'] === 'webhook' ? health : undefined
}

/** What is found at an address, and what a gateway there says is wrong; null if none answers. */
export type AddressReport = {
  readonly finding: Finding
  readonly problems: readonly string[] | null
}

/** Who answers at the host and port of the gateway. */
export async function examineAddress(
  settings: Settings,
  signal: AbortSignal | undefined,
): Promise<AddressReport> {
  const base = baseUrlOf({ ...settings, base_url: null })
  const alone = (finding: Finding): AddressReport => ({ finding, problems: null })
  try {
    const health = await healthAt(base, signal)
    if (health !== undefined) {
      const { reasons } = health
      const problems = Array.isArray(reasons) ? reasons.map(String) : []
      return { finding: ok('address', `The gateway answers at ${base}`), problems }
    }
    return alone(
      problem('address', {
        what: `Another program answers at ${base}`,
        why: 'The gateway cannot listen there.',
        mend: `End it, or choose another port: flowdouble gateway setup --port PORT --yes`,
      }),
    )
  } catch (error) {
    return alone(
      note('address', {
        what: `Nobody answers at ${base} (${(error as Error).message})`,
        why: 'The gateway does not run, or it runs with other settings.',
        mend: 'flowdouble gateway run',
      }),
    )
  }
}
