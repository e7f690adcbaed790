// Known servers as sets of defaults: `like` names one; explicit options override it.

import type { Place } from '../../spec/language.ts'
import { type NamedServer, servers } from '../../spec/truth/servers.ts'
import { didYouMean } from '../lib/nearest.ts'
import { ownName } from '../http/respond.ts'
import { usageError } from './usage.ts'

const named: Readonly<Record<string, NamedServer>> = servers

/** The names of the known servers for these places. */
export const serversOn = (...places: readonly Place[]): readonly string[] =>
  Object.keys(named).filter((name) => places.some((place) => place === named[name]?.on))

/**
 * The known server of a name; undefined for null. Throws a usage error for an unknown name, or a server of another
 * place.
 * @param where how the error names the option.
 * @param places where the option can apply: the error for an unknown name lists the servers of these.
 */
export function serverLike(
  name: string | null | undefined,
  place: Place,
  where: string,
  places: readonly Place[] = [place],
): NamedServer | undefined {
  if (name === null || name === undefined) return undefined
  const server = Object.hasOwn(named, name) ? named[name] : undefined
  if (server === undefined) {
    const names = serversOn(...places)
    const known = names.length > 0 ? ` Known servers: ${names.join(', ')}.` : ''
    throw usageError(`${where}: unknown server "${name}".${didYouMean(name, names)}${known}`)
  }
  if (server.on !== place)
    throw usageError(`${where}: "${name}" is a ${nouns[server.on]}, not a ${nouns[place]}.`)
  return server
}

const nouns: Readonly<Record<Place, string>> = {
  local: 'local server',
  hosted: 'hosted server',
  gateway: 'gateway',
}

/** The quirks of a server: those of the known one, minus `noQuirk`, plus `quirk`. */
export const quirksLike = (
  server: NamedServer | undefined,
  on: readonly string[],
  off: readonly string[] = [],
): readonly string[] => {
  const own: readonly string[] = server?.quirks ?? []
  return [...new Set([...own.filter((id) => !off.includes(id)), ...on])]
}

/** The value of the header Server for a server with this `like`. */
export const nameLike = (like: string | null): string =>
  (like === null ? undefined : named[like]?.serverHeader) ?? ownName
