// The time axis: from the time of the world to a position. Times in which nothing happens are drawn short, so that a
// session with pauses still shows its runs.

import type { Session } from './session.ts'

/** A part of the time; `from` and `to` in milliseconds, `start` and `end` in units of the axis. */
type Part = {
  readonly from: number
  readonly to: number
  readonly start: number
  readonly end: number
  /** Whether it is drawn shorter than it is. */
  readonly isShort: boolean
}

/** The visible part of the axis, in its units. */
export type Range = { readonly start: number; readonly end: number }

export type Scale = {
  readonly xOf: (ms: number) => number
  readonly width: number
  readonly range: Range
  /** The whole axis. */
  readonly whole: Range
  /** The times that are drawn short. */
  readonly breaks: readonly { readonly from: number; readonly to: number }[]
  /** The time at a position. */
  readonly msOf: (x: number) => number
}

/** A pause is drawn short if it is longer than this share of all other times, */
const MAX_SHARE = 0.3
/** and then has this share. */
const SHORT_SHARE = 0.04

/** The room for the words after what is last: in pixels, and as a share of the width at most. */
const LAST_WORDS = 170
const MAX_WORDS_SHARE = 0.25

/** @param range the visible part; null for all. */
export function scaleOf(session: Session, width: number, range: Range | null): Scale {
  const parts = partsOf(session)
  const last = parts.at(-1)
  const margin = (last?.end ?? 10) * 0.015
  // Room for the words after what is last.
  const words = Math.min(LAST_WORDS, width * MAX_WORDS_SHARE)
  const room = ((last?.end ?? 10) * words) / (width - words)
  const whole = { start: -margin, end: (last?.end ?? 10) + room }
  const shown = range ?? whole
  const perUnit = width / (shown.end - shown.start)
  const xOf = (ms: number): number => {
    const part = firstOf(parts, ({ to }) => ms <= to) ?? last
    if (part === undefined) return (ms - shown.start) * perUnit
    const share = part.to === part.from ? 0 : (ms - part.from) / (part.to - part.from)
    return (part.start + share * (part.end - part.start) - shown.start) * perUnit
  }
  const msOf = (x: number): number => {
    const unit = x / perUnit + shown.start
    const part = firstOf(parts, ({ end }) => unit <= end) ?? last
    if (part === undefined) return unit
    const share = part.end === part.start ? 0 : (unit - part.start) / (part.end - part.start)
    return part.from + share * (part.to - part.from)
  }
  const breaks = parts.filter(({ isShort }) => isShort)
  return { xOf, msOf, width, range: shown, whole, breaks }
}

/** The first part for which this holds, as it does for all later ones. */
function firstOf(parts: readonly Part[], holds: (part: Part) => boolean): Part | undefined {
  let [from, to] = [0, parts.length]
  while (from < to) {
    const at = (from + to) >> 1
    if (holds(parts[at] as Part)) to = at
    else from = at + 1
  }
  return parts[from]
}

function partsOf(session: Session): readonly Part[] {
  const times = [...new Set([...session.entries.map(({ at }) => at), session.now])].toSorted(
    (a, b) => a - b,
  )
  const gaps = times.slice(1).map((to, index) => {
    const from = times[index] ?? to
    return { from, to, isIdle: !isBusy(session, from, to) }
  })
  const idle = gaps
    .filter(({ isIdle }) => isIdle)
    .toSorted((a, b) => b.to - b.from - (a.to - a.from))
  let long = gaps.reduce((sum, { from, to }) => sum + to - from, 0)
  const short = new Map<number, number>()
  for (const { from, to } of idle) {
    const rest = long - (to - from)
    if (rest <= 0 || to - from <= rest * MAX_SHARE) break
    short.set(from, rest * SHORT_SHARE)
    long = rest
  }
  let start = 0
  return gaps.map(({ from, to }) => {
    const length = short.get(from) ?? to - from
    const part = { from, to, start, end: start + length, isShort: short.has(from) }
    start = part.end
    return part
  })
}

/** Whether something is under way in this time: a run, a request that waits, or work of a gateway. */
function isBusy({ runs, requests, events, now }: Session, from: number, to: number): boolean {
  const spans = (begin: number | null, end: number | null): boolean =>
    begin !== null && begin < to && (end ?? now) > from
  return (
    runs.some((run) => spans(run.from ?? null, run.to)) ||
    requests.some((one) => spans(one.at, one.endAt)) ||
    events.some(
      ({ run, deliveries }) =>
        (run !== null && spans(run.from, run.to)) ||
        deliveries.some((one) => spans(one.from, one.to)),
    )
  )
}

const steps = [1, 2, 5].flatMap((one) =>
  [0, 1, 2, 3, 4, 5, 6, 7, 8].map((power) => one * 10 ** power),
)

/** The times that the ruler names. */
export function ticksOf({ range, xOf, msOf, width, breaks }: Scale): readonly number[] {
  const [from, to] = [msOf(0), msOf(width)]
  const hidden = breaks
    .filter((one) => one.from >= from && one.to <= to)
    .reduce((sum, one) => sum + one.to - one.from, 0)
  const least = Math.max(0.001, ((to - from - Math.min(hidden, to - from - 1)) / width) * 90)
  const step = steps.toSorted((a, b) => a - b).find((one) => one >= least) ?? 1e9
  const ticks: number[] = []
  let lastX = -Infinity
  const isHidden = (ms: number): { readonly to: number } | undefined =>
    breaks.find((one) => ms > one.from && ms < one.to)
  for (
    let ms = Math.max(0, Math.ceil(from / step) * step);
    ms <= to && ticks.length < 100;
    ms += step
  ) {
    const pause = isHidden(ms)
    if (pause !== undefined) ms = Math.floor(pause.to / step) * step
    else if (xOf(ms) - lastX > 60) {
      ticks.push(ms)
      lastX = xOf(ms)
    }
  }
  return range.end > range.start ? ticks : []
}

/** A duration for people: `165 ms`, `1.25 s`, `2 min 3 s`. */
export function timeText(ms: number): string {
  const tidy = (value: number, digits: number): string => `${Number(value.toFixed(digits))}`
  if (Math.abs(ms) < 1000) return `${tidy(ms, ms < 10 ? 2 : 1)} ms`
  if (Math.abs(ms) < 60_000) return `${tidy(ms / 1000, 3)} s`
  const seconds = Math.round(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** A time of the world for people: `165 ms`, `1.25 s`, `1:02.345`, `2:00:00`. */
export function clockText(ms: number): string {
  if (ms < 60_000) return timeText(ms)
  const two = (value: number): string => `${value}`.padStart(2, '0')
  const whole = Math.floor(ms / 1000)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const rest = Math.round(ms - whole * 1000)
  const part = rest === 0 ? '' : `.${`${rest}`.padStart(3, '0').replace(/0+$/, '')}`
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(whole % 60)}${part}`
}
