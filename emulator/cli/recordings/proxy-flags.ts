// The flags of commands that stand in front of a server: its address, and the secrets that no recording has.

import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { readNamedFile } from '../../config/named-files.ts'
import { placeholders } from '../../journal/placeholders.ts'
import { credentialsOf } from '../../journal/redact-header.ts'
import { usageError } from '../../options/usage.ts'
import type { RedactOptions } from '../../recording/redact.ts'
import { headerFlag, headersGiven } from '../lib/header-flag.ts'
import type { CommandIo } from '../lib/io.ts'

type Values = Readonly<Record<string, unknown>>

const text = { type: 'string' } as const
const texts = { type: 'string', multiple: true } as const

export const proxyFlags = { ca: text, ...headerFlag, redact: texts, keep: texts } as const

/** What these flags say. */
export type ProxySettings = {
  readonly ca: string | null
  readonly headers: ReturnType<typeof headersGiven>
  readonly redact: RedactOptions
}

export function proxySettings(values: Values, { env, cwd }: CommandIo): ProxySettings {
  const headers = headersGiven(values)
  const key = env['FLOWDOUBLE_API_KEY'] ?? ''
  const { ca, redact = [], keep = [] } = values
  return {
    ca: typeof ca === 'string' ? readText(resolve(cwd, ca), '--ca') : null,
    headers,
    redact: {
      toPlaceholder: placeholders(randomUUID()),
      known: [key, ...headers.flatMap(([, value]) => [value, credentialsOf(value).secret])].filter(
        (secret) => secret !== '',
      ),
      names: { redact: redact as readonly string[], keep: keep as readonly string[] },
    },
  }
}

/** The address of a server. @param whose the command or flag that needs it. */
export function targetOf(url: string, whose: string): URL {
  const target = URL.canParse(url) ? new URL(url) : undefined
  if (target === undefined || !/^https?:$/.test(target.protocol))
    throw usageError(`${whose} needs a URL that begins with http:// or https://.`)
  const { search, hash, username, password } = target
  if (search + hash + username + password !== '')
    throw usageError(`${whose} needs a URL without query and credentials: clients send their own.`)
  return target
}

export function readText(path: string, of: string): string {
  try {
    return readNamedFile(path).toString()
  } catch (error) {
    throw usageError(`Cannot read ${of}: ${(error as Error).message}`)
  }
}
