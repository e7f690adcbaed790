// Checks the signature schemes that a caller or config.yaml declares.

import {
  ownScheme,
  ownSchemeSchema,
  type OwnScheme,
  type Place,
  type Scheme,
  schemeName,
  schemes,
} from '../../spec/gateway/signatures.ts'
import { isPlainObject, violationText, violations } from './json-schema.ts'

/** What is wrong with schemes by name, as a sentence without its full stop; undefined if nothing is. */
export function schemesFault(value: unknown): string | undefined {
  if (!isPlainObject(value)) return 'pass an object of schemes by name'
  for (const [name, given] of Object.entries(value)) {
    if (!schemeName.test(name))
      return `${JSON.stringify(name)} is not a name of letters, digits, - and _`
    if (Object.hasOwn(schemes, name))
      return `${name} is a scheme of every gateway: choose another name`
    const [first] = violations(ownSchemeSchema, given)
    if (first !== undefined) return violationText({ ...first, path: [name, ...first.path] }, name)
    const fault = partsFault(ownScheme(given as OwnScheme), given as OwnScheme)
    if (fault !== undefined) return `${name}.${fault}`
  }
  return undefined
}

/** What the members of a scheme say that contradicts each other; undefined if nothing does. */
function partsFault(scheme: Scheme, given: OwnScheme): string | undefined {
  const { algorithm, encoding, signs, separator } = scheme
  for (const member of ['time', 'id'] as const) {
    const place = scheme[member]
    if (place !== undefined && 'item' in place && separator === undefined)
      return `${member} is an item of the header, which needs a separator`
  }
  if (algorithm === 'none') return secretFault(given)
  if (encoding === 'text') return 'encoding is text, which is for algorithm none: use hex or base64'
  if (given.window_seconds !== undefined && scheme.time === undefined)
    return 'window_seconds needs time: where the time of the post stands'
  const unknown = /\{(?!(?:body|time|id|url)\})[^{}]*\}/.exec(signs)
  if (unknown !== null) return `signs names ${unknown[0]}: parts are {body}, {time}, {id} and {url}`
  if (!signs.includes('{body}')) return 'signs leaves out {body}: anybody could change it'
  for (const member of ['time', 'id'] as const) {
    const place: Place | undefined = scheme[member]
    const isSigned = signs.includes(`{${member}}`)
    if (isSigned && (place === undefined || 'member' in place))
      return `signs names {${member}}, which needs ${member}: a header or an item of it`
    if (member === 'time' && !isSigned && place !== undefined && !('member' in place))
      return 'time is not signed, so that it proves nothing: add {time} to signs'
  }
  return undefined
}

/** What contradicts a header that carries the secret itself. */
function secretFault(given: OwnScheme): string | undefined {
  const unused = (['signs', 'time', 'window_seconds', 'key', 'separator'] as const).find(
    (member) => given[member] !== undefined,
  )
  if (unused !== undefined)
    return `${unused} has no effect with algorithm none, which signs nothing`
  return given.encoding === 'hex' ? 'encoding of a secret is text or base64' : undefined
}
