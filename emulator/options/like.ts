// Known servers as a set of defaults: `like` names one, and what a caller gives besides wins over it.

import type { Place } from '../../spec/language.ts'
import { type NamedServer, servers } from '../../spec/truth/servers.ts'
import { didYouMean } from '../lib/nearest.ts'
import { ownName } from '../http/respond.ts'
import { usageError } from './usage.ts'

const named: Readonly<Record<string, NamedServer>> = servers

/** The names of the known servers of these places. */
export const serversOn = (...places: readonly Place[]): readonly string[] =>
  Object.keys(named).filter((name) => places.some((place) => place === named[name]?.on))

/**
 * The known server of a name, undefined for null. Throws a usage error for a name that is unknown, or known at another
 * place.
 * @param where how the name was given.
 */
export function serverLike(
  name: string | null | undefined,
  place: Place,
  where: string,
): NamedServer | undefined {
  if (name === null || name === undefined) return undefined
  const server = Object.hasOwn(named, name) ? named[name] : undefined
  if (server === undefined) {
    const names = Object.keys(named)
    throw usageError(
      `${where}: there is no server "${name}".${didYouMean(name, names)} Known: ${names.join(', ')}.`,
    )
  }
  if (server.on !== place)
    throw usageError(`${where}: "${name}" is a ${nouns[server.on]}, and this is a ${nouns[place]}.`)
  return server
}

const nouns: Readonly<Record<Place, string>> = {
  local: 'local server',
  hosted: 'hosted server',
  gateway: 'gateway',
}

/** The quirks of a server: those of the known one but for some, and those that were asked for. */
export const quirksLike = (
  server: NamedServer | undefined,
  on: readonly string[],
  off: readonly string[] = [],
): readonly string[] => {
  const own: readonly string[] = server?.quirks ?? []
  return [...new Set([...own.filter((id) => !off.includes(id)), ...on])]
}

/** What the header Server of a server that is like a known one holds. */
export const nameLike = (like: string | null): string =>
  (like === null ? undefined : named[like]?.serverHeader) ?? ownName
