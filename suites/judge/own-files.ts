// Uploads and views of a case, below its own folder.

import { viewPath } from '../generate/form.ts'
import type { Reply } from './reply.ts'
import type { Subject } from './subject.ts'

type Fields = Readonly<Record<string, string>>

/** The subfolder of a file of the case; nothing for the folder that a server takes by itself. */
export const placedIn = ({ unique }: Pick<Subject, 'unique'>, subfolder = ''): Fields => {
  const own = unique(subfolder)
  return own === '' ? {} : { subfolder: own }
}

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
