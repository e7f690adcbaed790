// The frame of the timeline: its rows, its ruler, and the lines that cross all rows.

import { add, type Child, el } from './dom.ts'
import { clockText, type Scale, ticksOf, timeText } from '../model/scale.ts'

export type RowProps = {
  readonly class: string
  readonly key?: string | undefined
  readonly label: readonly Child[]
  readonly height: number
  readonly isSelected?: boolean
}

export function row(
  { class: name, key, label, height, isSelected }: RowProps,
  ...marks: readonly Child[]
): HTMLElement {
  const track = el('div', { class: 'track' }, ...marks)
  const line = el('div', { class: `row ${name}${isSelected ? ' selected' : ''}`, key })
  line.style.height = `${height}px`
  add(line, [el('div', { class: 'label' }, ...label), track])
  return line
}

export const heading = (text: string, ...more: readonly Child[]): HTMLElement =>
  el('div', { class: 'heading' }, el('h2', {}, text), ...more)

/** The ruler with its times, and the pauses that are drawn short. */
export function ruler(scale: Scale): HTMLElement {
  const ticks = ticksOf(scale).map((ms) =>
    el('span', { class: 'tick', left: scale.xOf(ms) }, clockText(ms)),
  )
  const pauses = scale.breaks.map(({ from, to }) =>
    el(
      'span',
      {
        class: 'pause',
        left: scale.xOf(from),
        width: scale.xOf(to) - scale.xOf(from),
        title: `Nothing happens for ${timeText(to - from)}.`,
      },
      el('i', {}, timeText(to - from)),
    ),
  )
  return row({ class: 'ruler', label: ['time of the world'], height: 24 }, ...pauses, ...ticks)
}

/** The lines behind all rows: those of the ruler, and the present time. */
export function grid(scale: Scale, now: number): HTMLElement {
  const lines = ticksOf(scale).map((ms) => el('i', { class: 'line', left: scale.xOf(ms) }))
  const pauses = scale.breaks.map(({ from, to }) =>
    el('i', { class: 'band', left: scale.xOf(from), width: scale.xOf(to) - scale.xOf(from) }),
  )
  return el(
    'div',
    { class: 'grid' },
    ...pauses,
    ...lines,
    el('i', { class: 'now', left: scale.xOf(now) }),
  )
}

/** Whether a span is visible. */
export const isVisible = (scale: Scale, from: number, to: number): boolean =>
  scale.xOf(to) >= -400 && scale.xOf(from) <= scale.width + 10

/** Words after a span, or before it where there is no room after it. The span is in pixels. */
export function words(
  { width }: Scale,
  from: number,
  to: number,
  text: string,
  tone: string,
): HTMLElement {
  const left = isBefore(width, from, to, text) ? from - widthOf(text) : to
  const one = el('span', { class: `after ${tone}`, left, title: text }, text)
  one.style.maxWidth = `${width - left}px`
  return one
}

/** Whether the words of a span are before it. */
export const isBefore = (width: number, from: number, to: number, text: string): boolean =>
  to + widthOf(text) > width && from >= widthOf(text) && from <= width

/** The width of a text in the size of the timeline, in pixels: about right is enough to place labels. */
export const widthOf = (text: string): number => text.length * 6.1 + 10
