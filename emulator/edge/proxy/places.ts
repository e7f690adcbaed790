// The addresses that a proxy stands for: the target, and other hosts that the target has named in a redirect or a signed
// link. Those have paths of the proxy, so that their bytes pass through it; a client cannot name further hosts.

import { changeStrings } from '../../recording/json-strings.ts'
import { nameRules } from '../../journal/secret-names.ts'

/** The start of the paths of other hosts. */
export const linkPrefix = '/_flowdouble/at/'

/** Where a request goes: the origin, and path and query there. */
export type Place = {
  readonly origin: string
  readonly target: string
  readonly isOther: boolean
  /** The address for the recording: without the base path of the server, so that it is read like any other. */
  readonly recorded: string
}

export type Places = {
  /** Where a request to the proxy goes; undefined for a path of an unknown host. */
  readonly find: (target: string) => Place | undefined
  /** A Location of a response from a place, as the client of the proxy at this origin needs it. */
  readonly locationFor: (proxy: string, place: Place, location: string) => string
  /** A JSON text whose links to the target, and signed links elsewhere, lead through the proxy. */
  readonly linksFor: (proxy: string, json: string) => string
}

const rules = nameRules()

/**
 * @param base the address of the target, without query.
 * @param recordedOrigin the origin that stands for that of the target in the recording.
 */
export function createPlaces(base: URL, recordedOrigin = base.origin): Places {
  const basePath = base.pathname.replace(/\/$/, '')
  /** Other origins, in the order in which the target has named them. */
  const others: string[] = []
  const find: Places['find'] = (target) => {
    if (!target.startsWith(linkPrefix))
      return {
        origin: base.origin,
        target: basePath + target,
        isOther: false,
        recorded: recordedOrigin + target,
      }
    const [, index = '', rest = ''] = /^(\d+)(.*)$/s.exec(target.slice(linkPrefix.length)) ?? []
    const origin = others[Number(index)]
    if (index === '' || origin === undefined) return undefined
    const there = rest.startsWith('/') ? rest : `/${rest}`
    return { origin, target: there, isOther: true, recorded: origin + there }
  }
  const through = (proxy: string, { origin, pathname, search, hash }: URL): string => {
    const isOwn = origin === base.origin && `${pathname}/`.startsWith(`${basePath}/`)
    if (isOwn) return proxy + pathname.slice(basePath.length) + search + hash
    if (!others.includes(origin)) others.push(origin)
    return `${proxy}${linkPrefix}${others.indexOf(origin)}${pathname}${search}${hash}`
  }
  const locationFor: Places['locationFor'] = (proxy, { origin, target, isOther }, location) => {
    const isRelative = !/^(?:[a-z][a-z\d+.-]*:)?\/\//i.test(location)
    if (isRelative && !isOther && basePath === '') return location
    const from = origin + target
    const to = URL.canParse(location, from) ? new URL(location, from) : undefined
    return to === undefined || !isWeb(to) ? location : through(proxy, to)
  }
  const linkFor = (proxy: string, text: string): string => {
    const link = /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined
    if (link === undefined) return text
    return link.origin === base.origin || isSigned(link) ? through(proxy, link) : text
  }
  const linksFor: Places['linksFor'] = (proxy, json) =>
    json.includes('://') || json.includes(':\\/\\/')
      ? changeStrings(json, (text) => linkFor(proxy, text))
      : json
  return { find, locationFor, linksFor }
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:'

/** Whether an address has a signature: other addresses in a text may be documentation. */
const isSigned = ({ searchParams }: URL): boolean =>
  [...searchParams.keys()].some((name) => rules.isSecretName(name, 'query'))
