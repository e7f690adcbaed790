// The clients in the timeline: when each had a socket, a tick for each message, what it has missed, and the faults.

import { type Client, type Connection, gapsOf, isMissed, type Message } from '../model/clients.ts'
import { type Child, el } from './dom.ts'
import { heading, isVisible, row, widthOf } from './frame.ts'
import { type Scale, timeText } from '../model/scale.ts'
import type { Session } from '../model/session.ts'

export function clientRows(
  session: Session,
  scale: Scale,
  selection: string | null,
): readonly HTMLElement[] {
  const { clients } = session
  if (clients.length === 0) return []
  return [heading('Clients'), ...clients.map((one) => clientRow(one, session, scale, selection))]
}

function clientRow(
  client: Client,
  session: Session,
  scale: Scale,
  selection: string | null,
): HTMLElement {
  const { name, connections, messages } = client
  const { runs, now } = session
  const key = `c:${name}`
  const lost = messages.filter(isMissed)
  const label = [
    el('b', { title: name }, name),
    el('span', { class: 'dim' }, connections.map(({ socket }) => `#${socket}`).join(' ')),
    el(
      'span',
      { class: lost.length > 0 ? 'took bad' : 'took' },
      lost.length > 0 ? `${lost.length} missed` : `${messages.length}`,
    ),
  ]
  const gaps = gapsOf(client, runs, now).map(({ from, to, missed }) => {
    const width = scale.xOf(to) - scale.xOf(from)
    const text = `away for ${timeText(to - from)}: missed ${missed}`
    return el(
      'div',
      { class: 'gap', left: scale.xOf(from), width, title: text },
      width > 36 && el('span', {}, width > widthOf(text) ? text : 'away'),
    )
  })
  return row(
    { class: 'client', key, label, height: 40, isSelected: selection === key },
    ...connections.map((one) => lifeline(one, session, scale)),
    ...gaps,
    ...messageMarks(messages, scale, selection),
  )
}

function lifeline(
  { from, to, how, socket }: Connection,
  { now }: Session,
  { xOf }: Scale,
): HTMLElement {
  const end = to ?? now
  const isBroken = how !== null && how !== 'closed by the client'
  return el('div', {
    class: `lifeline${to === null ? ' open' : ''}${isBroken ? ' broken' : ''}`,
    left: xOf(from),
    width: Math.max(2, xOf(end) - xOf(from)),
    title: `socket ${socket}: ${how ?? 'open'}`,
  })
}

/** What a message is about, for its color and height. */
export function kindOf({ type, isFrame, state }: Message): string {
  if (isMissed({ state })) return 'lost'
  if (state === 'received') return 'received'
  if (isFrame) return 'frame'
  if (/error/.test(type)) return 'error'
  if (/interrupted/.test(type)) return 'interrupted'
  if (/success|start$/.test(type)) return 'end'
  if (/^(executed|executing)$/.test(type)) return 'node'
  return /progress/.test(type) ? 'progress' : 'status'
}

/** A tick for each message; those of one kind at one place share it. */
function messageMarks(
  messages: readonly Message[],
  scale: Scale,
  selection: string | null,
): readonly Child[] {
  const seen = new Set<string>()
  let lastEnd = -Infinity
  return messages.flatMap((message): Child[] => {
    if (!isVisible(scale, message.at, message.at)) return []
    const key = `m${message.key}`
    const kind = kindOf(message)
    const x = Math.round(scale.xOf(message.at))
    const isSelected = selection === key
    const place = `${kind} ${x}`
    if (seen.has(place) && !isSelected && kind !== 'lost') return []
    seen.add(place)
    const name =
      kind === 'lost'
        ? `✕ ${message.type} ${message.state === 'part' ? 'cut off' : 'lost'}`
        : message.type
    const isNamed = kind === 'lost' && x > lastEnd
    if (isNamed) lastEnd = x + widthOf(name)
    const tick = el(
      'i',
      { class: `message ${kind}${isSelected ? ' selected' : ''}`, key, left: x, title: name },
      isNamed && el('span', {}, name),
    )
    return [tick]
  })
}

/** The faults: in force or not, and when each applied. */
export function faultRows(
  session: Session,
  { xOf }: Scale,
  selection: string | null,
): readonly HTMLElement[] {
  const { faults, hits } = session
  const ids = [...new Set([...faults.map(({ id }) => id), ...hits.map(({ id }) => id)])]
  if (ids.length === 0) return []
  const rows = ids.map((id) => {
    const own = hits.filter((one) => one.id === id)
    const isActive = faults.some((one) => one.id === id)
    const key = `f:${id}`
    const label = [
      el('span', { class: 'title', title: id }, id),
      el(
        'span',
        { class: 'took' },
        isActive ? `${own.length} ${own.length === 1 ? 'hit' : 'hits'}` : 'removed',
      ),
    ]
    const marks = own.map(({ at, entry }) =>
      el('i', { class: 'hit', left: xOf(at), key: `e${entry}`, title: `${id} applies` }),
    )
    return row({ class: 'fault', key, label, height: 19, isSelected: selection === key }, ...marks)
  })
  return [heading('Faults'), ...rows]
}
