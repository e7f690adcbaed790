// The page of a server that many share: its worlds, how old and how large they are, and links to their inspectors.

import { askToken } from '../draw/ask-token.ts'
import { byId, el, fill } from '../draw/dom.ts'
import { read, Refused, send } from '../model/connection.ts'

/** A world as the control API lists it. */
type Listed = {
  readonly name: string
  readonly url: string
  readonly ageMs?: number
  readonly idleMs?: number
  readonly bytes?: number
  readonly runs?: number
  readonly sockets?: number
}

/** A world that the control API has created, or an existing one without its token. */
type Made = { readonly url: string; readonly worldToken?: string }

const units: readonly (readonly [unit: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

/** A duration in the largest unit that fits. */
function durationText(ms: number): string {
  const [unit, unitMs] = units.find(([, least]) => ms >= least) ?? ['s', 1000]
  return `${Math.floor(ms / unitMs)} ${unit}`
}

const sizeText = (bytes: number): string =>
  bytes < 2 ** 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`

/** The inspector of a world at the origin of the page: behind a proxy a world can name another one. */
const inspectorOf = (url: string): string => `${new URL(url).pathname}/_flowdouble/`

const row = ({ name, url, ageMs = 0, idleMs = 0, bytes = 0, runs = 0, sockets = 0 }: Listed) =>
  el(
    'tr',
    {},
    el('td', {}, el('a', { attributes: { href: inspectorOf(url) } }, name)),
    ...[durationText(ageMs), durationText(idleMs), sizeText(bytes), runs, sockets].map((text) =>
      el('td', {}, text),
    ),
    el('td', {}, closing(name)),
  )

/** Closes a world with the second click. */
function closing(name: string): HTMLElement {
  const button = el('button', { focus: `close ${name}`, title: `Close ${name}` }, 'Close')
  button.addEventListener('click', () => {
    if (button.textContent === 'Close') button.textContent = 'Close it now'
    else void attempt(() => send('DELETE', `worlds/${encodeURIComponent(name)}`))
  })
  return button
}

async function show(): Promise<void> {
  const worlds = await read<readonly Listed[]>('worlds')
  const bytes = worlds.reduce((sum, one) => sum + (one.bytes ?? 0), 0)
  byId('sum').textContent = `${worlds.length} worlds, ${sizeText(bytes)}`
  fill(byId('worlds'), ...worlds.map(row))
  byId('main').hidden = false
}

/** Shows what the server says against a change, and the worlds after it. */
async function attempt(change: () => Promise<unknown>): Promise<void> {
  const notice = byId('notice')
  notice.hidden = true
  try {
    await change()
    await show()
  } catch (error) {
    byId('main').hidden = error instanceof Refused && !isShown()
    if (error instanceof Refused && !isShown()) return askToken(notice, error.message, refresh)
    notice.textContent = error instanceof Error ? error.message : String(error)
    notice.hidden = false
  }
}

/** Whether the server has accepted the token. */
const isShown = (): boolean => byId('sum').textContent !== ''

const refresh = (): void => void attempt(() => Promise.resolve())

/** Creates a world, and shows where its inspector is: the only link with its token. */
async function create(): Promise<void> {
  const field = byId('name') as HTMLInputElement
  const { url, worldToken: token } = (await send(
    'PUT',
    `worlds/${encodeURIComponent(field.value)}`,
    {},
  )) as Made
  const known = token === undefined ? '' : `#token=${encodeURIComponent(token)}`
  const href = inspectorOf(url) + known
  const link = el('a', { attributes: { href } }, 'Inspector')
  const words = token === undefined ? ' exists already. ' : `, token ${token}. `
  fill(byId('made'), url, words, link)
  field.value = ''
}

byId('refresh').addEventListener('click', refresh)
byId('create').addEventListener('click', () => void attempt(create))
byId('name').addEventListener('keydown', ({ key }) => key === 'Enter' && void attempt(create))
refresh()
