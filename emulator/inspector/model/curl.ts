// A request as a command for a terminal.

import { membersOf, textOf } from '../../lib/loose.ts'
import type { Request } from './requests.ts'

/** Headers that the command sets itself, or that only a browser sends. */
const ownHeaders = /^(host|connection|content-length|transfer-encoding|accept-encoding|sec-.*)$/i

/** @param base the address of the server, without a slash at its end. */
export function curlOf({ method, target, input }: Request, base: string): string {
  const headers = Object.entries(membersOf(input['headers'])).filter(
    ([name]) => !ownHeaders.test(name),
  )
  const body = textOf(input['body']) ?? ''
  const bytes = textOf(input['bodyBase64'])
  const words = [
    `curl ${quoted(base + target)}`,
    ...(method === 'HEAD' ? ['-I'] : method === 'GET' ? [] : [`-X ${quoted(method)}`]),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${String(value)}`)}`),
    ...(body === '' ? [] : [`--data-raw ${quoted(body)}`]),
    ...(bytes === null ? [] : ['--data-binary @-']),
  ]
  const command = words.join(' \\\n  ')
  return bytes === null ? command : `printf %s ${quoted(bytes)} | base64 -d | ${command}`
}

/** A word for a shell. */
const quoted = (text: string): string =>
  /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
