// How a secret could stand in a recording, and all places where it could.

import type { Recording } from '../../dist/emulator/internal.js'

const utf8 = new TextEncoder()
/** A secret as the password of a header. */
export const basic = (secret: string): string =>
  btoa(String.fromCharCode(...utf8.encode(`me:${secret}`)))

/** Each character as its escape in JSON. */
export const escaped = (text: string): string =>
  text.replace(/[^]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** All texts of a recording, decoded. */
export const textsOf = ({ exchanges, sockets }: Recording): string => {
  const text = (body: Uint8Array | string): string =>
    typeof body === 'string' ? body : Buffer.from(body).toString('latin1')
  const all = [
    ...exchanges.flatMap(({ url, headers, body, response }) => [
      url,
      ...headers.flat(),
      text(body),
      ...(response === null ? [] : [...response.headers.flat(), text(response.body)]),
    ]),
    ...sockets.flatMap(({ url, messages, close }) => [
      url,
      ...messages.map(({ data }) => text(data)),
      close?.reason ?? '',
    ]),
  ]
  return all.join('\n')
}

/** The letters that stand for a secret wherever it begins in a text that is encoded in base64, in both alphabets. */
export const encodings = (secret: string): readonly string[] =>
  [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from('x'.repeat(before) + secret)
    return (['base64', 'base64url'] as const).map((alphabet) =>
      bytes
        .toString(alphabet)
        .slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)),
    )
  })

/** The spellings of a secret that a reader could recognize. */
export const spellings = (secret: string): readonly string[] => {
  const inJson = JSON.stringify(secret).slice(1, -1)
  const utf8Letters = [secret, inJson].map((one) => Buffer.from(one).toString('latin1'))
  const all = [secret, inJson, encodeURIComponent(secret), escaped(secret), ...utf8Letters]
  return [...all, basic(secret), ...encodings(secret)]
}
