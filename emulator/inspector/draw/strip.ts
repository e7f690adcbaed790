// The strip above the session: all of it in small, to drag the part on it that the timeline and the table show.

import { type Child, el, fill } from './dom.ts'
import { toneOf } from './requests.ts'
import { type Range, scaleOf } from '../model/scale.ts'
import type { State } from '../model/state.ts'

export function drawStrip(element: HTMLElement, { shown, range }: State): void {
  const scale = scaleOf(shown, element.clientWidth, null)
  const { xOf, whole, width } = scale
  const perUnit = width / (whole.end - whole.start)
  const seen = new Set<string>()
  /** The first of the marks that would be the same. */
  const once = (name: string, left: number, length: number): Child => {
    const place = `${name} ${Math.round(left)} ${Math.round(length)}`
    if (seen.has(place)) return null
    seen.add(place)
    return el('i', { class: name, left: Math.round(left), width: Math.max(2, Math.round(length)) })
  }
  const end = (at: number | null): number => xOf(at ?? shown.now)
  fill(
    element,
    ...shown.runs.map(
      ({ from, to, state }) =>
        from !== null && once(`span ${state}`, xOf(from), end(to) - xOf(from)),
    ),
    ...shown.requests.map((one) =>
      once(`dot ${toneOf(one)}`, xOf(one.at), end(one.endAt) - xOf(one.at)),
    ),
    range !== null &&
      el('b', {
        class: 'window',
        left: (range.start - whole.start) * perUnit,
        width: (range.end - range.start) * perUnit,
      }),
  )
}

/** Chooses the range that is dragged; a click without a drag chooses all. */
export function connectStrip(
  element: HTMLElement,
  state: State,
  choose: (range: Range | null) => void,
): void {
  let from: number | null = null
  const x = ({ clientX }: PointerEvent): number => clientX - element.getBoundingClientRect().left
  const drag = (event: PointerEvent): void => {
    if (from === null) return
    const { whole, width } = scaleOf(state.shown, element.clientWidth, null)
    const unit = (at: number): number => whole.start + (at / width) * (whole.end - whole.start)
    const [start, end] = [from, x(event)].toSorted((a, b) => a - b) as [number, number]
    choose(end - start < 4 ? null : { start: unit(start), end: unit(end) })
  }
  element.addEventListener('pointerdown', (event) => {
    from = x(event)
    element.setPointerCapture(event.pointerId)
  })
  element.addEventListener('pointermove', drag)
  element.addEventListener('pointerup', (event) => {
    drag(event)
    from = null
  })
}
