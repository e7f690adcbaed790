// Makes a session long: the same many times, one after the other.

import type { RecordedExchange, Recording } from '../../../dist/emulator/internal.js'

type Recorded = NonNullable<RecordedExchange['response']>

const isText = ({ headers }: Recorded): boolean =>
  headers.some(([name, value]) => name === 'content-type' && value.startsWith('application/json'))

/** A session many times, one after the other, each with separate ids and times. */
export function repeated(recording: Recording, times: number): Recording {
  const lastMs = recording.exchanges.at(-1)?.endMs ?? 0
  const firstMs = recording.exchanges[0]?.startMs ?? 0
  const text = (data: string, at: number): string =>
    data.replaceAll(
      /([0-9a-f]{8})-([0-9a-f]{4}-){3}/g,
      (id) => `${String(at).padStart(8, '0')}${id.slice(8)}`,
    )
  const bytes = (body: Uint8Array, at: number): Uint8Array =>
    new TextEncoder().encode(text(new TextDecoder().decode(body), at))
  const copies = Array.from({ length: times }, (_, at) => {
    const by = at * (lastMs - firstMs + 100_000)
    return {
      exchanges: recording.exchanges.map((one) => ({
        ...one,
        url: text(one.url, at),
        startMs: one.startMs + by,
        endMs: one.endMs + by,
        response: one.response && {
          ...one.response,
          body: isText(one.response) ? bytes(one.response.body, at) : one.response.body,
        },
      })),
      sockets: recording.sockets.map((one) => ({
        ...one,
        openMs: one.openMs + by,
        messages: one.messages.map((message) => ({
          ...message,
          atMs: message.atMs + by,
          data: typeof message.data === 'string' ? text(message.data, at) : message.data,
        })),
      })),
    }
  })
  return {
    info: recording.info,
    exchanges: copies.flatMap(({ exchanges }) => exchanges),
    sockets: copies.flatMap(({ sockets }) => sockets),
  }
}
