// Accesses the user's files for cases: builds paths, writes a file, lists all files.

import { at } from '../generate/userdata-paths.ts'
import type { Subject } from './subject.ts'

/** Writes a file whose content is its own name. */
export const write = ({ request }: Subject, file: string, query = '') =>
  request('POST', at(file, query), file)

/** The paths of all files and folders. */
export const paths = async ({ get }: Subject): Promise<string[]> =>
  (await get('/v2/userdata')).json().map(({ path }: { path: string }) => path)
