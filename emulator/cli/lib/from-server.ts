// The flag --from of commands that ask a running server: its address, its credentials, and how long all answers may take.

import { findServer } from '../../client/deployment.ts'
import { failure, isFailure } from '../../client/failure.ts'
import { getText, jsonOf, readAddress, type Server } from '../../client/server.ts'
import type { Deployment } from '../../../spec/language.ts'
import type { ServerTypes } from '../../infer/server-types.ts'
import { usageError } from '../../options/usage.ts'
import { typeTexts } from '../../server/nodes/type-texts.ts'
import { askInTime, timeoutOf } from './ask-in-time.ts'
import type { FlagTable } from './command.ts'
import { headerFlag, headersGiven } from './header-flag.ts'
import type { CommandIo } from './io.ts'
import { helpLine } from './server-flags.ts'

const text = { type: 'string' } as const

export const fromFlags = {
  from: text,
  deployment: text,
  key: text,
  token: text,
  ...headerFlag,
  timeout: text,
} as const satisfies FlagTable

/** The lines of a help text about these flags; `from` says what is asked. */
export const fromHelp = (from: string): string =>
  [
    ['--from URL', from],
    ['--deployment NAME', 'local or hosted, with --from (default: found by asking)'],
    [
      '--key KEY',
      'API key of a hosted server (or FLOWDOUBLE_API_KEY), with --from; it is not written anywhere',
    ],
    ['--token TOKEN', 'bearer token of a local server, with --from; it is not written anywhere'],
    [
      "--header 'N: V'",
      'a further header of each request, with --from; repeatable, and not written anywhere',
    ],
    ['--timeout SECONDS', 'time limit for all answers of the server, with --from (default 60)'],
  ]
    .map(([flag = '', help = '']) => helpLine(flag, help))
    .join('\n')

type Values = Readonly<Record<string, unknown>>

/**
 * What the server of --from says; undefined without the flag. Throws a usage error for a wrong flag, and a failure or a
 * refusal for a server that does not answer.
 */
export async function askFrom<T>(
  values: Values,
  { env, signal }: CommandIo,
  ask: (server: Server, stop: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const { from, deployment, key, token } = values
  if (typeof from !== 'string') {
    const { from: _, ...others } = fromFlags
    const misplaced = Object.keys(others).find((name) => values[name] !== undefined)
    if (misplaced !== undefined) throw usageError(`--${misplaced} needs --from.`)
    return undefined
  }
  const place = deploymentOf(deployment)
  const apiKey = (key as string | undefined) ?? env['FLOWDOUBLE_API_KEY']
  try {
    const address = readAddress(from)
    const own = headersGiven(values).map(([name, value]) => [name.toLowerCase(), value])
    const headers = {
      ...address.headers,
      ...(token !== undefined && { authorization: `Bearer ${token as string}` }),
      ...Object.fromEntries(own),
    }
    const limits = { shown: address.shown, seconds: timeoutOf(values['timeout']), signal }
    return await askInTime(limits, async (stop) => {
      const options = {
        ...(place !== undefined && { deployment: place }),
        ...(apiKey !== undefined && token === undefined && { apiKey }),
        pause: (seconds: number) =>
          new Promise<void>((resume) => void setTimeout(resume, seconds * 1000)),
        signal: stop,
      }
      return ask(await findServer({ ...address, headers }, options), stop)
    })
  } catch (error) {
    throw isFailure(error) ? failure(error.outcome, withOwnFlags(error.message), {}, error) : error
  }
}

function deploymentOf(given: unknown): Deployment | undefined {
  if (given === undefined || given === 'local' || given === 'hosted') return given
  throw usageError('--deployment is local or hosted.')
}

/** The client names the flags of `run`. */
const withOwnFlags = (message: string): string =>
  message.replaceAll('--url', '--from').replaceAll('--api-key-env NAME', '--key KEY')

/** The node types of a server. Throws a failure for what is not a workflow server. */
export async function askTypes(server: Server, signal: AbortSignal): Promise<ServerTypes> {
  const path = '/object_info'
  const whole = await getText(server, path, signal)
  jsonOf(server, `GET ${path}`, whole)
  try {
    const texts = typeTexts(whole)
    if (texts.size > 0) return { shown: server.shown, texts }
  } catch {
    // Said below.
  }
  throw failure(
    'protocol',
    `GET ${path} at ${server.shown} lists no node types: is it a workflow server?`,
  )
}
