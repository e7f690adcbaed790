// Differences in files: what uploads and masks are named, and how a file is viewed.

import { createHash } from 'node:crypto'
import { deep, refusedAs } from './words.ts'
import { isFor, type Told } from '../model/client-view.ts'
import type { Difference } from './difference.ts'
import type { Asked } from '../generate/actions.ts'

const isUpload = (asked: Asked): boolean => isFor(asked, 'POST', /^\/upload\/(image|mask)$/)

/** A name that only the same content gets: then local stores what hosted stores. */
function byContent({ path, file, fields }: Asked): string {
  const { name = '', bytes = Buffer.of() } = file ?? {}
  const hash = createHash('sha256').update(path).update(bytes)
  const ending = /\.\w+$/.exec(name)?.[0].toLowerCase() ?? ''
  return hash.update(fields?.['original_ref'] ?? '').digest('hex') + ending
}

/** Whether a mask is of something that there is not. */
const isOfNothing = ({ path }: Asked, { body }: Told): boolean =>
  path === '/upload/mask' && body.name === '<nothing>'

const isEntry = (object: any): boolean => 'filename' in object && 'subfolder' in object

export const fileDifferences: readonly Difference[] = [
  {
    id: 'an upload is named after its content, and told with the folders of its form',
    from: ['files/hosted-upload-name', 'files/hosted-upload-same', 'files/hosted-upload-type'],
    request: (asked) => {
      if (!isUpload(asked) || asked.file === undefined) return undefined
      const { original_ref } = asked.fields ?? {}
      return {
        ...asked,
        file: { ...asked.file, name: byContent(asked) },
        fields: {
          overwrite: 'true',
          type: 'input',
          ...(original_ref !== undefined && { original_ref }),
        },
      }
    },
    reply: (told, asked) => {
      if (!isUpload(asked) || told.status !== 200) return undefined
      const { type = 'output', subfolder = '' } = asked.fields ?? {}
      return { ...told, body: { ...told.body, type, subfolder } }
    },
  },
  {
    id: 'a mask of an unknown original is refused',
    from: ['files/hosted-mask-original'],
    reply: (told, asked) =>
      told.status === 200 && isOfNothing(asked, told) ? refusedAs('notFound') : undefined,
  },
  {
    id: 'outputs stand in no subfolder',
    from: ['files/hosted-output-name'],
    heard: (heard) => deep(heard, isEntry, (entry) => ({ ...entry, subfolder: '' })),
    reply: (told) => ({
      ...told,
      body: deep(told.body, isEntry, (entry) => ({ ...entry, subfolder: '' })),
    }),
  },
  {
    id: 'a view leads to a signed link',
    from: ['files/hosted-view', 'files/hosted-signed-url', 'files/hosted-view-missing'],
    reply: (told, asked) => {
      if (!isFor(asked, 'GET', '/view')) return undefined
      return told.status === 200
        ? { status: 302, type: '', body: { link: told.body.bytes } }
        : refusedAs('notFound')
    },
  },
]
