// The choice of a world at the address of the page.

import { read, send } from './model/connection.ts'
import { byId, el, fill } from './draw/dom.ts'
import { membersOf } from '../lib/loose.ts'

/** The worlds at the address of the page, to go to, and a way to a new one. */
export async function showWorlds(): Promise<void> {
  const worlds = await read<readonly { readonly name: string | null; readonly url: string }[]>(
    'worlds',
  ).catch(() => [])
  const root = location.pathname.replace(/\/w\/[^/]+(?=\/_flowdouble\/)/, '')
  const places = [
    { path: root, name: 'main world' },
    ...worlds.map(({ name, url }) => ({
      path: `${new URL(url).pathname.replace(/\/$/, '')}/_flowdouble/`,
      name: `world ${name ?? ''}`,
    })),
  ]
  const field = byId('worlds') as HTMLSelectElement
  fill(
    field,
    ...places.map(({ path, name }) => el('option', { attributes: { value: path } }, name)),
    el('option', { attributes: { value: 'fork' } }, 'fork this world'),
  )
  field.value = location.pathname
  field.hidden = false
}

/** Goes to the world that is chosen. */
export async function goToWorld(): Promise<void> {
  const { value } = byId('worlds') as HTMLSelectElement
  if (value !== 'fork') return location.assign(value)
  const { url } = membersOf(await send('POST', 'fork', {}))
  location.assign(`${new URL(String(url)).pathname}/_flowdouble/`)
}
