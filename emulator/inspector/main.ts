// The inspector: follows the journal of the server that it comes from, and draws it whenever something changes.

import { askToken } from './draw/ask-token.ts'
import { follow, read, Refused } from './model/connection.ts'
import { attempt, connectControls, messageOf, removeFault, showClock } from './controls.ts'
import { byId, el, fill } from './draw/dom.ts'
import { drawBar } from './draw/bar.ts'
import { explainNothing, onExplained } from './draw/explain.ts'
import { takePictures } from './draw/pictures.ts'
import { connectStrip, drawStrip } from './draw/strip.ts'
import { connectFiles, type Opened } from './files.ts'
import { sortedRequests } from './model/columns.ts'
import { everything, filtered } from './model/filter.ts'
import { findingsOf } from './model/findings.ts'
import { textOf } from '../lib/loose.ts'
import { joined, type Journal, readJournal, sinceStart } from './model/journal.ts'
import { isTyping, nextSelection } from './keys.ts'
import { isOpen } from './draw/runs.ts'
import { type Clock, type Fault, sessionOf } from './model/session.ts'
import type { Actions, State } from './model/state.ts'
import { changeStored, nothingStored, readStored, type Stored, storedKey } from './model/stored.ts'
import { drawPanel } from './panel.ts'
import { goToWorld, showWorlds } from './worlds.ts'
import { drawTimeline, moved, scaleFor, zoomed } from './timeline.ts'

/** With more entries the page begins anew, with those that the server has. */
const MAX_ENTRIES = 20_000

const empty: Journal = {
  isGateway: false,
  options: {},
  first: 0,
  next: 0,
  earlier: null,
  entries: [],
}
const unknownClock = { clock: 'unknown', nowMs: 0, nextMs: null }

const state: State = {
  journal: empty,
  clock: unknownClock,
  faults: [],
  stored: null,
  session: sessionOf(empty, unknownClock, []),
  shown: sessionOf(empty, unknownClock, []),
  selection: selectionIn(location.hash),
  opened: new Map(),
  range: null,
  view: 'timeline',
  tab: 'details',
  filter: everything,
  sort: { by: 'entry', isDown: false },
  file: null,
  isLive: false,
}
const timeline = byId('timeline')

function selectionIn(hash: string): string | null {
  try {
    return decodeURIComponent(hash.slice(1)) || null
  } catch {
    return null
  }
}

let isScheduled = false

/** Draws once for all changes until the next frame. */
function draw(): void {
  if (isScheduled) return
  isScheduled = true
  requestAnimationFrame(() => {
    isScheduled = false
    state.shown = filtered(state.session, state.filter)
    showMachine()
    showClock(state)
    showFindings()
    drawBar(byId('bar'), state, actions)
    drawStrip(byId('strip'), state)
    drawTimeline(timeline, state, actions)
    drawPanel(byId('panel'), state, actions)
  })
}

const actions: Actions = {
  select: (key) => {
    if (key !== state.selection) byId('panel').scrollTop = 0
    state.selection = key
    state.tab = 'details'
    history.replaceState(null, '', key === null ? location.pathname : `#${encodeURIComponent(key)}`)
    reload()
  },
  toggle: (id) => {
    const run = state.session.runs.find((one) => one.id === id)
    if (run !== undefined) state.opened.set(id, !isOpen(state, run))
    draw()
  },
  show: (tab) => {
    state.tab = tab
    draw()
  },
  view: (view) => {
    state.view = view
    reload()
  },
  filter: (change) => {
    state.filter = { ...state.filter, ...change }
    reload()
  },
  sort: (sort) => {
    state.sort = sort
    draw()
  },
  showAll: () => {
    state.filter = everything
    state.range = null
    reload()
  },
  removeFault: (id) => void removeFault(id).then(() => changed(null)),
  changeStored: (what, key) =>
    void attempt(
      () => changeStored(what, key),
      (refusal) => {
        if (what === 'drop' && refusal === null) actions.select(null)
        changed(refusal)
      },
    ),
}

function notify(text: string | null): void {
  const notice = byId('notice')
  notice.textContent = text
  notice.hidden = text === null
}

const changed = (refusal: string | null): void => {
  notify(refusal)
  void refresh().then(draw, () => undefined)
}

/** Draws what is shown now, and again when it has been read where it comes from a store. */
function reload(): void {
  draw()
  if (state.stored !== null && showsStored()) changed(null)
}

const showsStored = (): boolean =>
  state.view === 'stored' || storedKey(state.selection) !== undefined

/** The latest of several reads counts. */
let reads = 0

/** Reads what the journal does not say: the clock, the faults in force, and what a store has of what is shown. */
async function refresh(): Promise<void> {
  const { isGateway } = state.journal
  state.clock = await read<Clock>('clock')
  state.faults = isGateway ? [] : await read<readonly Fault[]>('faults').catch(() => [])
  state.session = sessionOf(state.journal, state.clock, state.faults)
  const own = ++reads
  const stored = await readShown()
  if (own === reads) state.stored = stored
}

async function readShown(): Promise<Stored | null> {
  const { journal, filter, selection } = state
  if ((journal.options['store'] ?? 'none') === 'none') return null
  if (!showsStored()) return nothingStored
  try {
    return await readStored(filter.state, storedKey(selection))
  } catch (error) {
    notify(messageOf(error))
    return nothingStored
  }
}

/** Takes new lines of the journal. Returns the number of the next entry. */
async function received(lines: string, from: number): Promise<number> {
  if (state.file !== null) return from
  const news = readJournal(lines)
  // Other processes change a store that they share, without an entry here.
  const isNews = !state.isLive || news.entries.length > 0 || state.view === 'stored'
  state.journal = from === 0 ? news : joined(state.journal, news)
  state.isLive = true
  // What was selected before a reset is gone.
  if (sinceStart(news.entries).length < news.entries.length && from > 0)
    Object.assign(state, { selection: null, range: null, tab: 'details' })
  if (isNews) {
    await refresh()
    if (from === 0) await showWorlds()
    draw()
  }
  return state.journal.entries.length > MAX_ENTRIES ? 0 : Math.max(from, news.next)
}

function showMachine(): void {
  const { options } = state.session
  const words = [
    state.session.isGateway ? 'gateway' : textOf(options['deployment']),
    textOf(options['like']),
  ]
  byId('machine').textContent = words.filter(Boolean).join(' · ')
}

function showFindings(): void {
  const found = findingsOf(state.session).map(({ tone, key, text }) =>
    el(
      'button',
      {
        class: `finding ${tone}`,
        focus: `finding ${text}`,
        title: text,
        click: () => actions.select(key),
      },
      text,
    ),
  )
  fill(byId('findings'), ...found)
  byId('findings').hidden = found.length === 0
}

function connectPage(): void {
  const keys = connectControls(changed)
  byId('worlds').addEventListener(
    'change',
    () => void goToWorld().catch((error: unknown) => changed(String(error))),
  )
  timeline.addEventListener('click', ({ target, clientX }) => {
    const own = (target as HTMLElement).closest<HTMLElement>('[data-key]')
    actions.select(nearestTick(own, clientX)?.dataset['key'] ?? own?.dataset['key'] ?? null)
  })
  timeline.addEventListener(
    'wheel',
    (event) => {
      const { ctrlKey, shiftKey, deltaX, deltaY, clientX } = event
      if (!ctrlKey && !shiftKey && Math.abs(deltaX) <= Math.abs(deltaY)) return
      event.preventDefault()
      const by = Math.abs(deltaX) > Math.abs(deltaY) ? deltaX : deltaY
      state.range = ctrlKey
        ? zoomed(state, timeline, deltaY < 0, clientX)
        : moved(state, timeline, by / 800)
      draw()
    },
    { passive: false },
  )
  document.addEventListener('keydown', (event) => {
    if (isTyping(event)) return
    const { key, target } = event
    const isOnButton = (target as HTMLElement).closest('button, a') !== null
    const { shown, sort, range } = state
    const scale = range === null ? null : scaleFor(state, timeline)
    const lines =
      state.view === 'stored'
        ? (state.stored?.rows.map((one) => `s:${one.key}`) ?? [])
        : sortedRequests(shown, sort, scale).map(({ entry }) => `e${entry}`)
    const next = nextSelection(state, key, lines)
    if (next !== undefined) actions.select(next)
    else if (key === 'Escape') actions.select(null)
    else if (key === 'Enter' && !isOnButton && state.selection?.startsWith('r:'))
      actions.toggle(state.selection.slice(2))
    else if (key === '+' || key === '-') state.range = zoomed(state, timeline, key === '+')
    else if (key === '0') state.range = null
    else if (key === 't') actions.view(state.view === 'requests' ? 'timeline' : 'requests')
    else if (key === '/' && state.view !== 'stored') byId('search').focus()
    else if (Object.hasOwn(keys, key)) keys[key]?.()
    else return
    event.preventDefault()
    draw()
  })
  addEventListener('hashchange', () => {
    state.selection = selectionIn(location.hash)
    reload()
  })
  connectStrip(byId('strip'), state, (range) => {
    state.range = range
    draw()
  })
  connectFiles(show, notify)
  new ResizeObserver(draw).observe(timeline)
  onExplained(draw)
}

/** Shows a file instead of the server. */
function show({ journal, pictures }: Opened, name: string): void {
  const clock = { clock: 'recorded', nowMs: journal.entries.at(-1)?.at ?? 0, nextMs: null }
  const session = sessionOf(journal, clock, [])
  Object.assign(state, {
    journal,
    clock,
    session,
    file: name,
    isLive: false,
    faults: [],
    stored: null,
  })
  Object.assign(state, { selection: null, range: null, filter: everything })
  takePictures(pictures)
  explainNothing()
  notify(null)
  draw()
}

/** The message nearest to a click on the row of a client: its ticks are too thin to meet. */
function nearestTick(own: HTMLElement | null, x: number): HTMLElement | undefined {
  if (own?.classList.contains('client') !== true) return undefined
  const ticks = [...own.querySelectorAll<HTMLElement>('.message')]
  const distance = (one: HTMLElement): number => Math.abs(one.getBoundingClientRect().left - x)
  const [nearest] = ticks.toSorted((a, b) => distance(a) - distance(b))
  return nearest !== undefined && distance(nearest) < 8 ? nearest : undefined
}

connectPage()
draw()
void follow(received, (error) => {
  state.isLive = false
  if (error instanceof Refused) askToken(byId('notice'), error.message, draw)
  draw()
})
