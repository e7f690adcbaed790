// The requests in the timeline: a tick for each, with its name where there is room, and a bar while its answer waits.

import { el } from './dom.ts'
import { isVisible, row, widthOf } from './frame.ts'
import { pathOf, type Request } from '../model/requests.ts'
import type { Scale } from '../model/scale.ts'
import type { Session } from '../model/session.ts'

/** So many rows at most: ticks without room for a name share the last one. */
const MAX_ROWS = 3
const ROW_HEIGHT = 19

export function requestRows(
  session: Session,
  scale: Scale,
  selection: string | null,
): readonly HTMLElement[] {
  const { requests } = session
  if (requests.length === 0) return []
  const ends: number[] = Array.from({ length: MAX_ROWS }, () => -Infinity)
  const marks: HTMLElement[] = []
  let used = 1
  for (const request of requests) {
    if (!isVisible(scale, request.at, request.endAt ?? session.now)) continue
    const x = scale.xOf(request.at)
    const width = Math.max(2, scale.xOf(request.endAt ?? session.now) - x)
    const name = nameOf(request, session)
    const own = ends.findIndex((end) => end <= x)
    const at = own < 0 ? MAX_ROWS - 1 : own
    used = Math.max(used, at + 1)
    ends[at] = Math.max(ends[at] ?? 0, own < 0 ? x : x + width + widthOf(name))
    marks.push(mark(request, name, { x, width, at, isNamed: own >= 0 }, selection))
  }
  const refused = requests.filter((one) => toneOf(one) === 'bad').length
  const label = [
    el('b', {}, 'Requests'),
    el('span', { class: 'dim' }, countText(requests.length, session.requestCount)),
    el('span', { class: 'took bad' }, refused > 0 ? `${refused} refused` : ''),
  ]
  return [row({ class: 'requests', label, height: used * ROW_HEIGHT + 12 }, ...marks)]
}

/** How many there are, and how many of them are shown. */
export const countText = (shown: number, all: number): string =>
  shown === all ? `${all}` : `${shown} of ${all}`

type Place = {
  readonly x: number
  readonly width: number
  readonly at: number
  readonly isNamed: boolean
}

function mark(
  request: Request,
  name: string,
  { x, width, at, isNamed }: Place,
  selection: string | null,
): HTMLElement {
  const key = `e${request.entry}`
  const isSelected = selection === key
  const one = el(
    'div',
    {
      class: `request ${toneOf(request)}${isNamed ? '' : ' bare'}${isSelected ? ' selected' : ''}`,
      key,
      left: x,
      title: name,
    },
    el('i', { class: 'bar', width }),
    isNamed && el('span', {}, name),
  )
  one.style.top = `${at * ROW_HEIGHT + 6}px`
  return one
}

export function toneOf({ status, faults }: Request): 'bad' | 'warn' | 'good' | 'info' {
  if (status === null) return 'warn'
  if (status === 0 || status >= 400) return 'bad'
  return faults.length > 0 ? 'warn' : 'info'
}

/** The name of a request: method, path, and its status unless that is 200. */
export function nameOf({ method, target, status, entry }: Request, { others }: Session): string {
  const path = pathOf(target).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, (id) => `${id.slice(0, 5)}…`)
  const result = status === null ? '…' : status === 0 ? 'reset' : status === 200 ? '' : `${status}`
  const post = others.get(entry)
  return [method, path, result, post?.verdict === undefined ? '' : post.verdict]
    .filter(Boolean)
    .join(' ')
}
