// The files of a case, all of them below its folder: uploads, views and userdata.

import { viewPath } from '../generate/form.ts'
import { solid } from '../generate/graphs.ts'
import { withoutFlag } from './own-runs.ts'
import { at } from '../generate/userdata-paths.ts'
import type { Reply } from './reply.ts'
import type { Subject } from './subject.ts'

type Fields = Readonly<Record<string, string>>

/** A path below a folder; either can be empty. */
export const below = (folder: string, path: string): string =>
  [folder, path].filter((part) => part !== '').join('/')

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

/** Which bytes the file of `inEachFolder` has among the files of this type: each byte there is, and the type. */
export const bytesIn = (type: string): Uint8Array =>
  Uint8Array.from([...new Uint8Array(256).keys(), ...new TextEncoder().encode(type)])

/**
 * Uploads a file of one name among the inputs, the outputs and the temporary files, where each has other bytes: once for all
 * cases, since nobody can remove it. Returns the values of its view but the type, and the statuses of the uploads.
 */
export const inEachFolder = (subject: Subject) =>
  subject.once('a file in each folder', async () => {
    const name = 'all bytes.bin'
    const statuses: Record<string, number> = {}
    for (const type of ['output', 'input', 'temp']) {
      const reply = await put(subject, { name, bytes: bytesIn(type) }, { type, subfolder: 'each' })
      statuses[type] = reply.status
    }
    return { filename: name, ...placedIn(subject, 'each'), statuses }
  })

/**
 * Runs a graph that saves an orange picture as `deep/er/orange` below a folder: once for all cases, since nobody can remove it.
 * Returns the folder, and how the output lists the picture.
 */
export const orangeIn = (subject: Subject) =>
  subject.once('an orange picture', async () => {
    const folder = subject.unique('')
    const session = await subject.connect(subject.unique('orange'))
    const graph = solid(0xff8000, subject.unique('deep/er/orange'))
    const { entry } = await subject.run(session, graph)
    const [image] = entry.outputs['2'].images
    const { filename, subfolder, type }: Record<'filename' | 'subfolder' | 'type', string> = image
    return { folder, image: { filename, subfolder, type } }
  })

/** The path that views a file below the folder of the case. */
export const viewOf = (
  subject: Pick<Subject, 'unique'>,
  { subfolder, ...values }: Fields,
): string => viewPath({ ...values, ...placedIn(subject, subfolder) })

/** Ends a case about what a saved file says of its run on a server that keeps that out of its files. */
export const needsMetadata = (subject: Subject): Promise<void> =>
  withoutFlag(subject, /^--disable-metadata$/)

/**
 * A case about user data, in one folder with all others of this group, which remove their files: what is read in a new folder
 * makes that folder on a real server, and nobody can remove it.
 */
export const together =
  (group: string, body: (subject: Subject) => Promise<void>) =>
  async (subject: Subject): Promise<void> => {
    const folder = await subject.once(`the folder of ${group}`, async () => subject.unique(''))
    const unique = (path: string): string => below(folder, path)
    // What a subject does not have throws when it is read.
    await body(Object.create(subject, { unique: { value: unique } }) as Subject)
  }

/** The text of a refusal on a hosted server. */
export const aText = /^\w.*\.$/
/** The header of a refusal with a text. */
export const textType = { 'content-type': 'text/plain; charset=utf-8' }

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
