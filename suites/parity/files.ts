// Differences in files: the names of uploads and masks, and how a file is viewed.

import { createHash } from 'node:crypto'
import { deep, refusedAs } from './words.ts'
import { isFor, type PlainReply } from '../model/client-view.ts'
import type { Difference } from './difference.ts'
import type { PlainRequest } from '../generate/actions.ts'

const isUpload = (request: PlainRequest): boolean =>
  isFor(request, 'POST', /^\/upload\/(image|mask)$/)

/** A name that only the same content gets: then local stores what hosted stores. */
function byContent({ path, file, fields }: PlainRequest): string {
  const { name = '', bytes = Buffer.of() } = file ?? {}
  const hash = createHash('sha256').update(path).update(bytes)
  const ending = /\.\w+$/.exec(name)?.[0].toLowerCase() ?? ''
  return hash.update(fields?.['original_ref'] ?? '').digest('hex') + ending
}

/** Whether the original of a mask is missing. */
const isOfNothing = ({ path }: PlainRequest, { body }: PlainReply): boolean =>
  path === '/upload/mask' && body.name === '<nothing>'

const isEntry = (object: any): boolean => 'filename' in object && 'subfolder' in object

export const fileDifferences: readonly Difference[] = [
  {
    id: 'an upload is named after its content, and reported with the folders of its form',
    from: ['files/hosted-upload-name', 'files/hosted-upload-same', 'files/hosted-upload-type'],
    request: (request) => {
      if (!isUpload(request) || request.file === undefined) return undefined
      const { original_ref } = request.fields ?? {}
      return {
        ...request,
        file: { ...request.file, name: byContent(request) },
        fields: {
          overwrite: 'true',
          type: 'input',
          ...(original_ref !== undefined && { original_ref }),
        },
      }
    },
    reply: (reply, request) => {
      if (!isUpload(request) || reply.status !== 200) return undefined
      const { type = 'output', subfolder = '' } = request.fields ?? {}
      return { ...reply, body: { ...reply.body, type, subfolder } }
    },
  },
  {
    id: 'a mask of an unknown original is refused',
    from: ['files/hosted-mask-original'],
    reply: (reply, request) =>
      reply.status === 200 && isOfNothing(request, reply) ? refusedAs('notFound') : undefined,
  },
  {
    id: 'outputs stand in no subfolder',
    from: ['files/hosted-output-name'],
    received: (received) => deep(received, isEntry, (entry) => ({ ...entry, subfolder: '' })),
    reply: (reply) => ({
      ...reply,
      body: deep(reply.body, isEntry, (entry) => ({ ...entry, subfolder: '' })),
    }),
  },
  {
    id: 'a view leads to a signed link',
    from: ['files/hosted-view', 'files/hosted-signed-url', 'files/hosted-view-missing'],
    reply: (reply, request) => {
      if (!isFor(request, 'GET', '/view')) return undefined
      return reply.status === 200
        ? { status: 302, type: '', body: { link: reply.body.bytes } }
        : refusedAs('notFound')
    },
  },
]
