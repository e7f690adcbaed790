// How cases speak of the user's files: their addresses, writing one, listing all.

import type { Subject } from './subject.ts'

/** The address of a file, whose slashes are encoded. */
export const at = (file: string, query = ''): string =>
  `/userdata/${encodeURIComponent(file)}${query}`

/** The address that moves a file. */
export const moving = (file: string, dest: string, query = ''): string =>
  `${at(file)}/move/${encodeURIComponent(dest)}${query}`

/** Writes a file whose content is its own name. */
export const write = ({ request }: Subject, file: string, query = '') =>
  request('POST', at(file, query), file)

/** The paths of all files and folders. */
export const paths = async ({ get }: Subject): Promise<string[]> =>
  (await get('/v2/userdata')).json().map(({ path }: { path: string }) => path)
