// Files that customers store for partners [partner/storage-*]: a link to upload, and one to download.

import { storageRequest, type storage, STORED_H } from '../../../spec/partner/partner.ts'
import type { Static } from '../../../spec/static.ts'
import { get, put } from '../../lib/bounded.ts'
import { isObject } from '../../lib/json.ts'
import { drawUuid } from '../../lib/random.ts'
import { json, type Reply, refusePartner } from '../../http/replies.ts'
import { bodyJson, type Request } from '../../http/requests.ts'
import { signedLink } from '../hosted/signed-links.ts'
import type { HostedWorld } from '../state/world.ts'
import { flatFile } from '../world/named-files.ts'
import { originOf, timeText } from '../v2/links.ts'

const { file_name, file_hash } = storageRequest.properties
const hashForm = new RegExp(file_hash.pattern)
const LIFETIME_S = STORED_H * 3600

export function readStorage(world: HostedWorld, request: Request): Reply {
  const body = bodyJson(request)
  const [fileName, contentType, hash = null] = isObject(body)
    ? ['file_name', 'content_type', 'file_hash'].map((name) => body.get(name))
    : []
  if (typeof fileName !== 'string' || fileName === '' || fileName.length > file_name.maxLength)
    return refusePartner('badRequest', {
      reason: `file_name is a text of 1 to ${file_name.maxLength} characters.`,
    })
  if (hash !== null && (typeof hash !== 'string' || !hashForm.test(hash)))
    return refusePartner('badRequest', { reason: 'file_hash is 64 hexadecimal digits.' })
  const { uploads, stored } = world.state.partner
  const known = hash === null ? undefined : get(stored, hash)
  const existing_file = known !== undefined && flatFile(world, known) !== undefined
  const name = existing_file ? known : drawUuid(world.state.random) + endingOf(fileName)
  if (!existing_file) {
    const type = typeof contentType === 'string' ? contentType : 'application/octet-stream'
    put(uploads, name, { contentType: type, hash })
  }
  const { host, prefix } = originOf(request)
  const url = signedLink(world, name, host, prefix, LIFETIME_S)
  const found: Static<typeof storage> = {
    upload_url: url,
    download_url: url,
    expires_at: timeText(world, world.state.nowMs + LIFETIME_S * 1000),
    existing_file,
  }
  return json(JSON.stringify(found))
}

const endingOf = (name: string): string => /\.[a-z0-9]{1,16}$/i.exec(name)?.[0].toLowerCase() ?? ''
