// Matches the paths of requests with the patterns of faults [faults/path].

import { profiles } from '../../../spec/server/deployments.ts'
import { decodePart } from '../../http/requests.ts'

/** Whether a path matches a pattern, in which `*` stands for one segment and `**` for any number. */
export const matchesPath = (pattern: string, path: string): boolean =>
  matches(segmentsOf(pattern), segmentsOf(path).map(decodePart))

const { alias } = profiles.local

/** The segments of a path without the prefix that paths can have. */
function segmentsOf(path: string): readonly string[] {
  const rest = path.startsWith(`${alias}/`) ? path.slice(alias.length) : path
  return rest.slice(1).split('/')
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...others] = pattern
  if (first === undefined) return path.length === 0
  if (first === '**') {
    // The shortest rest decides the most often: a pattern usually ends here.
    for (let from = path.length; from >= 0; from--)
      if (matches(others, path.slice(from))) return true
    return false
  }
  const [segment, ...rest] = path
  if (segment === undefined) return false
  return (first === '*' ? segment !== '' : first === segment) && matches(others, rest)
}
