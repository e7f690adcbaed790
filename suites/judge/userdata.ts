// Accesses the user's files for cases: builds paths, writes a file, lists all files. The files of a case are below its
// own folder.

import { at } from '../generate/userdata-paths.ts'
import type { Subject } from './subject.ts'

/** Writes a file whose content is the name that the case gives it. */
export const write = ({ request, unique }: Subject, file: string, query = '') =>
  request('POST', at(unique(file), query), file)

/** The paths of all files and folders of the case, as the case names them. */
export const paths = async ({ get, unique }: Subject): Promise<string[]> => {
  const folder = unique('')
  const query = folder === '' ? '' : `?path=${encodeURIComponent(folder)}`
  const reply = await get(`/v2/userdata${query}`)
  const all: { path: string }[] = reply.status === 404 ? [] : reply.json()
  return all.map(({ path }) => (folder === '' ? path : path.slice(folder.length + 1)))
}
