// The parts of which the details consist: values as colored JSON, tables of facts, and links to other things.

import { type Child, el } from './dom.ts'
import { image } from './pictures.ts'
import { valueOf } from '../../lib/loose.ts'
import type { Actions } from '../model/state.ts'

/** The longest text that is shown in full, in characters. */
const MAX_TEXT = 20_000

const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** A value as JSON, colored; a text as it is. */
export function json(value: unknown): HTMLElement {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
  const shown =
    text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n… ${text.length - MAX_TEXT} more` : text
  if (typeof value === 'string') return el('pre', {}, shown)
  const parts: Child[] = []
  let end = 0
  for (const match of shown.matchAll(token)) {
    const [whole, string, colon, word] = match
    parts.push(shown.slice(end, match.index))
    const name =
      string === undefined
        ? word === undefined
          ? 'number'
          : 'word'
        : colon === undefined
          ? 'string'
          : 'name'
    parts.push(el('span', { class: `j-${name}` }, whole))
    end = match.index + whole.length
  }
  return el('pre', {}, ...parts, shown.slice(end))
}

/** A body: JSON as its value, other text as it is, and anything else by what the journal says of it. */
export const body = (given: unknown): HTMLElement => json(valueOf(given))

/** Facts by name; those without a value are left out. */
export function facts(...pairs: readonly (readonly [name: string, value: Child])[]): HTMLElement {
  const shown = pairs.filter(([, value]) => value || value === 0)
  return el(
    'dl',
    {},
    ...shown.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]),
  )
}

export function part(title: string, ...content: readonly Child[]): HTMLElement | null {
  const shown = content.filter((one) => one !== null && one !== false)
  return shown.length === 0 ? null : el('section', {}, el('h3', {}, title), ...shown)
}

/** A button that selects something else. */
export const link = (actions: Actions, key: string, text: string, name = ''): HTMLElement =>
  el(
    'button',
    { class: `link ${name}`, focus: `link ${key}`, click: () => actions.select(key) },
    text,
  )

export const title = (text: string, tone = ''): HTMLElement => el('h2', { class: tone }, text)

export const picture = (key: string): HTMLElement => image(key, `picture ${key}`, 'large')

/** A button that copies a text. */
export const copyButton = (name: string, text: string): HTMLElement => {
  const own = el('button', { class: 'button', focus: `copy ${name}` }, `Copy ${name}`)
  own.addEventListener('click', () => void copy(text).then(() => (own.textContent = 'Copied')))
  return own
}

/** Only pages at addresses that the browser trusts have a clipboard. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}

/** The address of the server or world that the page is about. */
export const baseText = (): string => location.href.replace(/\/_flowdouble\/.*$/, '')

/** What the journal has dropped, or never had. */
export const missing: readonly Child[] = ['The journal no longer has this.']
