// Settings and files of user data that a client read before it wrote them: a scenario cannot contain them.

import type { Answered } from './requests.ts'

/** The most names in a note. */
const MAX_NAMES = 5

const OK = 200

/** A note with their names; none if clients read only what they wrote before. */
export function userDataNotes(answered: readonly Answered[]): readonly string[] {
  const written = new Set<string>()
  const read = new Set<string>()
  for (const { method, path, status, body } of answered) {
    const name = nameOf(path)
    if (name === undefined || status >= 400) continue
    if (method !== 'GET') written.add(name)
    else if (status === OK && !written.has(name) && !isEmpty(body)) read.add(name)
  }
  if (read.size === 0) return []
  const names = [...read].slice(0, MAX_NAMES).join(', ')
  const more = read.size > MAX_NAMES ? ` and ${read.size - MAX_NAMES} more` : ''
  return [`settings and user data: a scenario has none, and clients read ${names}${more}`]
}

/** Settings are one thing, each file is one; listings are made from files. */
const nameOf = (path: string): string | undefined =>
  /^\/settings(?:\/|$)/.test(path) ? 'settings' : /^\/(userdata\/.+)$/.exec(path)?.[1]

/** An empty object, list or file, which a new world has too. */
const isEmpty = (body: Uint8Array): boolean =>
  /^(?:\{\}|\[\]|null)?$/.test(new TextDecoder().decode(body.subarray(0, 5)).trim())
