// GET /api/view [files/hosted-view*]: redirects to a signed link, and never returns the file itself.

import { badRequest, refuseHosted, type Reply } from '../../http/replies.ts'
import { parameter } from '../../http/requests.ts'
import { flatFile } from '../world/named-files.ts'
import { isFolderType } from '../world/paths.ts'
import { signedLink } from './signed-links.ts'
import { type Conversion, convertedFile } from '../local/view.ts'
import type { FileContent } from '../state/files.ts'
import type { HostedHandler } from './handler.ts'

/** A redirect to the signed link of a file of the requesting account. */
export const view: HostedHandler = (world, { query, headers }) => {
  const filename = parameter(query, 'filename') ?? ''
  if (filename === '') return badRequest('The query names no filename.')
  if (!isFolderType(parameter(query, 'type') ?? 'output')) return badRequest('The type is unknown.')
  const found = flatFile(world, filename)
  if (found === undefined) return refuseHosted('notFound')
  if (world.setup.quirks.has('hosted.view-channel-bytes')) {
    const converted = viewConverted(filename, found.file.content, query)
    if (converted !== undefined) return converted
  }
  return {
    status: 302,
    headers: { Location: signedLink(world, filename, headers['host']) },
    body: '',
  }
}

/** The picture that `res` or `channel` requests; undefined without either. */
function viewConverted(filename: string, content: FileContent, query: string): Reply | undefined {
  const [res, channel] = [parameter(query, 'res'), parameter(query, 'channel')]
  if (res === undefined && channel === undefined) return undefined
  const fitted = Number(res)
  if (res !== undefined && !(Number.isInteger(fitted) && fitted >= 64 && fitted <= 1024)) {
    return badRequest('res is a whole number from 64 to 1024.')
  }
  const conversion: Conversion =
    res !== undefined ? { format: 'jpeg', fitted } : { format: 'png', ...channelsOf(channel) }
  return convertedFile(filename, content, conversion) ?? badRequest('The file is not a picture.')
}

const channelsOf = (channel: string | undefined): Pick<Conversion, 'channels'> => {
  if (channel === 'rgb') return { channels: 'rgb' }
  return channel === 'a' || channel === 'alpha' ? { channels: 'a' } : {}
}
