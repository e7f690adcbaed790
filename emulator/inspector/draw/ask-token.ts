// Asks for the token that a server requires.

import { setToken } from '../model/token.ts'
import { el, fill } from './dom.ts'

let isAsked = false

/**
 * Asks below a sentence of the server, unless it has asked already.
 * @param done is called with a new token.
 */
export function askToken(place: HTMLElement, why: string, done: () => void): void {
  if (isAsked) return
  isAsked = true
  const field = el('input', {
    attributes: {
      type: 'password',
      autocomplete: 'off',
      'aria-label': 'Token',
      placeholder: 'Token',
    },
  }) as HTMLInputElement
  const form = el('form', {}, why, ' ', field)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    isAsked = false
    place.hidden = true
    setToken(field.value)
    done()
  })
  fill(place, form)
  place.hidden = false
}
