// The requests in the timeline: a tick for each, with its name where there is room, and a bar while its answer waits.

import { el } from './dom.ts'
import { isVisible, row, widthOf } from './frame.ts'
import { isRefused, pathOf, type Request } from '../model/requests.ts'
import type { Scale } from '../model/scale.ts'
import type { Session } from '../model/session.ts'

/** So many rows with names at most: ticks without room for a name share one below these. */
const MAX_ROWS = 3
const ROW_HEIGHT = 19
const BARE_HEIGHT = 9

export function requestRows(
  session: Session,
  scale: Scale,
  selection: string | null,
): readonly HTMLElement[] {
  const { requests } = session
  if (requests.length === 0) return []
  const ends: number[] = Array.from({ length: MAX_ROWS }, () => -Infinity)
  const marks: HTMLElement[] = []
  let height = ROW_HEIGHT
  for (const request of requests) {
    if (!isVisible(scale, request.at, request.endAt ?? session.now)) continue
    const x = scale.xOf(request.at)
    const width = Math.max(2, scale.xOf(request.endAt ?? session.now) - x)
    const name = nameOf(request, session)
    const own = ends.findIndex((end) => end <= x)
    const isNamed = own >= 0
    const top = (isNamed ? own : MAX_ROWS) * ROW_HEIGHT
    height = Math.max(height, top + (isNamed ? ROW_HEIGHT : BARE_HEIGHT))
    if (isNamed) ends[own] = x + width + widthOf(name)
    marks.push(mark(request, name, { x, width, top, isNamed }, selection))
  }
  const refused = requests.filter(isRefused).length
  const label = [
    el('b', {}, 'Requests'),
    el('span', { class: 'dim' }, countText(requests.length, session.requestCount)),
    el('span', { class: 'took bad' }, refused > 0 ? `${refused} refused` : ''),
  ]
  return [row({ class: 'requests', label, height: height + 12 }, ...marks)]
}

/** How many there are, and how many of them are shown. */
export const countText = (shown: number, all: number): string =>
  shown === all ? `${all}` : `${shown} of ${all}`

type Place = {
  readonly x: number
  readonly width: number
  readonly top: number
  readonly isNamed: boolean
}

function mark(
  request: Request,
  name: string,
  { x, width, top, isNamed }: Place,
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
  one.style.top = `${top + 6}px`
  return one
}

export function toneOf(request: Request): 'bad' | 'warn' | 'good' | 'info' {
  if (isRefused(request)) return 'bad'
  return request.status === null || request.faults.length > 0 ? 'warn' : 'info'
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
