// The keys of the page: the arrows go from thing to thing, letters are the buttons.

import { itemsOf } from './draw/log.ts'
import type { State } from './model/state.ts'

/**
 * What an arrow key selects.
 * @param lines the keys of the lines of the table that is shown, if one is.
 */
export function nextSelection(
  state: State,
  key: string,
  lines: readonly string[],
): string | null | undefined {
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0
  if (state.view !== 'timeline' && step !== 0) {
    const own = lines.indexOf(state.selection ?? '')
    return lines[own < 0 ? 0 : Math.min(lines.length - 1, Math.max(0, own + step))]
  }
  const items = itemsOf(state.shown)
  const at = items.findIndex((one) => one.key === state.selection)
  const own = items[at]
  if (key === 'ArrowRight' || key === 'ArrowLeft') {
    if (own === undefined) return key === 'ArrowRight' ? items[0]?.key : items.at(-1)?.key
    const lane = items.filter((one) => one.lane === own.lane)
    const place = lane.indexOf(own)
    return lane[Math.min(lane.length - 1, Math.max(0, place + (key === 'ArrowRight' ? 1 : -1)))]
      ?.key
  }
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return undefined
  const lanes = lanesOf(state)
  if (own === undefined) return items.find((one) => one.lane === lanes[0])?.key
  const lane = lanes[lanes.indexOf(own.lane) + step]
  if (lane === undefined) return own.key
  // What is nearest in time.
  const others = items.filter((one) => one.lane === lane)
  return others.toSorted((a, b) => Math.abs(a.at - own.at) - Math.abs(b.at - own.at))[0]?.key
}

/** The rows of the timeline in their order. */
function lanesOf({ shown: { events, runs, clients, faults, hits } }: State): readonly string[] {
  const ids = new Set([...faults.map(({ id }) => id), ...hits.map(({ id }) => id)])
  return [
    'requests',
    ...events.map(({ id }) => `g:${id}`),
    ...clients.map(({ name }) => `c:${name}`),
    ...[...ids].map((id) => `f:${id}`),
    ...runs.map(({ id }) => `r:${id}`),
  ]
}

/** Whether a key press is meant for an element that takes text or a dialog. */
export function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const element = target as HTMLElement
  return ctrlKey || metaKey || altKey || element.closest('input, textarea, select, dialog') !== null
}
