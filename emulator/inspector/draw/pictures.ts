// The pictures of a session: from the server, or those of the file that is shown instead.

import { dataOf } from '../model/connection.ts'
import { hasToken } from '../model/token.ts'
import { el } from './dom.ts'

/** Those that were read with a token: the page is drawn often. */
const fetched = new Map<string, string>()

let ofFile: ReadonlyMap<string, string> | null = null

/** @param pictures addresses by key; null for those of the server. */
export function takePictures(pictures: ReadonlyMap<string, string> | null): void {
  ofFile = pictures
}

/** The picture with a key. One that nobody has any more leaves no trace. */
export function image(key: string, alt: string, name = ''): HTMLElement {
  const path = `pictures/${key}`
  const src = ofFile === null ? (fetched.get(key) ?? path) : (ofFile.get(key) ?? 'data:,')
  // A browser asks without the token.
  const isFetched = src === path && hasToken()
  const first = isFetched ? {} : { src }
  const one = el('img', { class: name, attributes: { ...first, alt, loading: 'lazy' } })
  if (isFetched) void fetchInto(one, path, key).catch(() => one.remove())
  one.addEventListener('error', () => one.remove())
  return one
}

async function fetchInto(one: HTMLElement, path: string, key: string): Promise<void> {
  const src = await dataOf(path)
  fetched.set(key, src)
  one.setAttribute('src', src)
}
