// The files of a case, all of them below its folder: uploads, views and userdata.

import { viewPath } from '../generate/form.ts'
import { withoutFlag } from './own-runs.ts'
import { at } from '../generate/userdata-paths.ts'
import type { Reply } from './reply.ts'
import type { Subject } from './subject.ts'

type Fields = Readonly<Record<string, string>>

/** The subfolder of a file of the case; nothing for the folder that a server takes by itself. */
export const placedIn = ({ unique }: Pick<Subject, 'unique'>, subfolder = ''): Fields => {
  const own = unique(subfolder)
  return own === '' ? {} : { subfolder: own }
}

/**
 * The folder for files that a case only looks at: a local server empties it when it starts. Among the inputs and outputs nobody
 * can remove them.
 */
export const passing = { type: 'temp' } as const

/** Uploads a file below the folder of the case. */
export const put = (
  subject: Subject,
  file: { readonly name: string; readonly bytes: Uint8Array },
  { subfolder, ...fields }: Fields = {},
  path?: string,
): Promise<Reply> => subject.upload(file, { ...placedIn(subject, subfolder), ...fields }, path)

/** The path that views a file below the folder of the case. */
export const viewOf = (
  subject: Pick<Subject, 'unique'>,
  { subfolder, ...values }: Fields,
): string => viewPath({ ...values, ...placedIn(subject, subfolder) })

/** Ends a case about what a saved file says of its run on a server that keeps that out of its files. */
export const needsMetadata = (subject: Subject): Promise<void> =>
  withoutFlag(subject, /^--disable-metadata$/)

/** Writes a file with its name, as the case has it, as content. */
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
