// The flag --header of commands that send requests to a server.

import { usageError } from '../../options/usage.ts'

export const headerFlag = { header: { type: 'string', multiple: true } } as const

/** The headers that the flag names. Throws a usage error for what does not make a header. */
export const headersGiven = (
  values: Readonly<Record<string, unknown>>,
): readonly (readonly [name: string, value: string])[] =>
  ((values['header'] ?? []) as readonly string[]).map((line) => {
    const [, name, value] = /^([\w-]+):\s*([\x20-\x7e]*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw usageError("--header needs 'Name: value'.")
    return [name, value]
  })
