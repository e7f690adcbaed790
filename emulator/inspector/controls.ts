// The buttons of the page: they move the clock, change the faults, and reset the world.

import { readText, send } from './model/connection.ts'
import { hasToken } from './model/token.ts'
import { byId, el, fill } from './draw/dom.ts'
import { clockText, timeText } from './model/scale.ts'
import type { State } from './model/state.ts'

const buttons = ['next', 'advance', 'idle'] as const

/** Faults to begin with. */
const presets: readonly (readonly [name: string, fault: object])[] = [
  [
    'the next submit gets 503',
    { when: { method: 'POST', path: '/prompt' }, then: { status: 503, retryAfter: 1 }, times: 1 },
  ],
  [
    'the next end of a run is not sent',
    { when: { message: 'execution_success' }, then: { skip: true }, times: 1 },
  ],
  [
    'sockets are reset at the next progress',
    { when: { message: 'progress' }, then: { reset: true }, times: 1 },
  ],
  ['answers to /history take 2 s', { when: { path: '/history/*' }, then: { delayMs: 2000 } }],
  ['downloads break off after 1,000 bytes', { when: { path: '/view' }, then: { truncate: 1000 } }],
  [
    'messages arrive out of order',
    { when: { message: 'progress', probability: 0.3 }, then: { swap: true } },
  ],
  ['handshakes are rejected', { when: { socket: 'open' }, then: { refuse: 503 } }],
]

/** Saves a recording as the link of the page does. */
function saveText(text: string): void {
  const href = URL.createObjectURL(new Blob([text]))
  el('a', { attributes: { href, download: 'session.har' } }).click()
  URL.revokeObjectURL(href)
}

/**
 * @param done is called after each change with what the server says against it; null if it has been made.
 */
export function connectControls(
  done: (refusal: string | null) => void,
): Readonly<Record<string, () => void>> {
  const run = (change: () => Promise<unknown>): Promise<void> => attempt(change, done)
  const advance = (body: object) => () => void run(() => send('POST', 'advance', body))
  const ms = byId('ms') as HTMLInputElement
  const actions = {
    next: advance({ until: 'next' }),
    idle: advance({ until: 'idle' }),
    advance: () => advance({ ms: Number(ms.value) })(),
    reset: () => (byId('reset-dialog') as HTMLDialogElement).showModal(),
    'add-fault': () => openFaults(),
  }
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener('click', action)
  ms.addEventListener('keydown', ({ key }) => key === 'Enter' && actions.advance())
  const reset = byId('reset-dialog') as HTMLDialogElement
  reset.addEventListener('close', () => {
    if (reset.returnValue === 'reset') void run(() => send('POST', 'reset'))
    reset.returnValue = ''
  })
  connectFaults(() => done(null))
  byId('save').addEventListener('click', (event) => {
    if (!hasToken()) return
    // A browser would ask without the token.
    event.preventDefault()
    void run(async () => saveText(await readText('recording')))
  })
  byId('open-file').addEventListener('click', () => byId('open').click())
  byId('leave').addEventListener('click', () => location.reload())
  return {
    n: actions.next,
    i: actions.idle,
    a: actions.advance,
    r: actions.reset,
    f: actions['add-fault'],
    s: () => byId('save').click(),
    o: () => byId('open').click(),
  }
}

/** @param done is called after the change with what the server says against it; null if it has been made. */
export async function attempt(
  change: () => Promise<unknown>,
  done: (refusal: string | null) => void,
): Promise<void> {
  try {
    await change()
    done(null)
  } catch (error) {
    done(messageOf(error))
  }
}

export const removeFault = (id: string): Promise<unknown> =>
  send('DELETE', `faults/${encodeURIComponent(id)}`)

function openFaults(): void {
  const dialog = byId('fault-dialog') as HTMLDialogElement
  byId('fault-error').textContent = ''
  dialog.showModal()
}

function connectFaults(added: () => void): void {
  const dialog = byId('fault-dialog') as HTMLDialogElement
  const [preset, text] = [
    byId('fault-preset') as HTMLSelectElement,
    byId('fault-text') as HTMLTextAreaElement,
  ]
  fill(
    preset,
    ...presets.map(([name], index) => el('option', { attributes: { value: `${index}` } }, name)),
  )
  const choose = (): void => {
    text.value = JSON.stringify(presets[Number(preset.value)]?.[1], null, 2)
  }
  preset.addEventListener('change', choose)
  choose()
  const add = async (): Promise<void> => {
    try {
      await send('POST', 'faults', text.value)
      dialog.close()
      added()
    } catch (error) {
      byId('fault-error').textContent = messageOf(error)
    }
  }
  byId('fault-add').addEventListener('click', (event) => {
    // The dialog stays open until the server has taken the fault.
    event.preventDefault()
    void add()
  })
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** Shows the clock, and whether its buttons can be used. */
export function showClock({ session: { clock, now, isGateway }, isLive, file }: State): void {
  const { clock: kind, nextMs } = clock
  const isManual = kind === 'manual'
  const next = !isManual
    ? ''
    : nextMs === null
      ? 'nothing is due'
      : `next in ${timeText(nextMs - now)}`
  fill(
    byId('clock'),
    el('b', {}, clockText(now)),
    el('span', {}, el('i', {}, `${kind} clock`), next === '' ? null : el('i', {}, next)),
  )
  for (const id of buttons) {
    const button = byId(id) as HTMLButtonElement
    button.disabled = !isManual || !isLive
    button.title = isManual
      ? ''
      : `The clock is ${kind}: it moves by itself. Start with --clock manual.`
  }
  byId('next').title =
    isManual && nextMs !== null ? `Moves by ${timeText(nextMs - now)}` : byId('next').title
  byId('add-fault').hidden = isGateway
  const live = byId('live')
  live.textContent = file ?? (isLive ? 'live' : 'not connected')
  live.className = isLive ? 'live' : file === null ? 'lost' : 'file'
  byId('leave').hidden = file === null
  byId('head').className = file === null ? '' : 'file'
}
