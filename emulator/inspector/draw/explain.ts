// Why an entry is as it is, as the server explains it: its causes, the reasons for its answer, and the rules behind it.

import { read } from '../model/connection.ts'
import { link, part } from './detail-parts.ts'
import { type Child, el } from './dom.ts'
import type { Entry } from '../model/journal.ts'
import { clockText } from '../model/scale.ts'
import type { Actions } from '../model/state.ts'

type Explanation = {
  readonly input: string
  readonly effects: readonly string[]
  readonly causes: readonly {
    readonly entry: number
    readonly nowMs: number
    readonly input: string
    readonly because: string
    readonly due?: true
  }[]
  readonly reasons: readonly string[]
  readonly rules: readonly { readonly id: string; readonly says: string }[]
}

/** Explanations by entry. An entry never changes, but its answer can follow later. */
const known = new Map<Entry, Explanation | null>()

let changed = (): void => undefined
let isAsked = true

/** A server explains its own entries only, not those of a file. */
export function explainNothing(): void {
  isAsked = false
}

/** @param draw is called when an explanation has arrived. */
export function onExplained(draw: () => void): void {
  changed = draw
}

async function load(entry: Entry): Promise<void> {
  known.set(entry, null)
  known.set(entry, await read<Explanation>(`explain/${entry.n}`).catch(() => null))
  changed()
}

export function explanationOf(entry: Entry, actions: Actions): readonly Child[] {
  const found = known.get(entry)
  if (found === undefined && isAsked) void load(entry)
  if (!found) return []
  const { causes, reasons, rules, effects } = found
  const links = (isDue: boolean): readonly Child[] =>
    causes
      .filter(({ due = false }) => due === isDue)
      .map(({ entry: n, nowMs, input, because }) =>
        el(
          'p',
          {},
          link(actions, `e${n}`, `entry ${n}`),
          ` at ${clockText(nowMs)} ${because}: ${input}`,
        ),
      )
  return [
    part('Why', ...reasons.map((one) => el('p', {}, one))),
    part(
      'Rules',
      ...rules.map(({ id, says }) => el('p', { class: 'rule' }, el('code', {}, id), ` ${says}`)),
    ),
    part('Caused by', ...links(false)),
    part('What was due then was caused by', ...links(true)),
    part(
      'Effects',
      effects.length > 1 &&
        el('ol', { class: 'effects' }, ...effects.map((one) => el('li', {}, one))),
    ),
  ]
}
