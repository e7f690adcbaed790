// The pictures of a session: from the server, or those of the file that is shown instead.

import { el } from './dom.ts'

let ofFile: ReadonlyMap<string, string> | null = null

/** @param pictures addresses by key; null for those of the server. */
export function takePictures(pictures: ReadonlyMap<string, string> | null): void {
  ofFile = pictures
}

/** The picture with a key. One that nobody has any more leaves no trace. */
export function image(key: string, alt: string, name = ''): HTMLElement {
  const src = ofFile === null ? `pictures/${key}` : (ofFile.get(key) ?? 'data:,')
  const one = el('img', { class: name, attributes: { src, alt, loading: 'lazy' } })
  one.addEventListener('error', () => one.remove())
  return one
}
