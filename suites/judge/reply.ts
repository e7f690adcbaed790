// A reply, as cases use it.

import { pythonJson } from '../../dist/emulator/session/index.js'

/** A reply, with its body as bytes and as text. */
export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
  readonly text: string
  /** The body as JSON. Throws if it is not valid JSON. */
  readonly json: () => any
}

/** A reply with these parts. Its text is decoded when a case reads it: some bodies have many megabytes. */
export function replyOf({
  status,
  headers,
  bytes,
}: Pick<Reply, 'status' | 'headers' | 'bytes'>): Reply {
  let decoded: string | undefined
  const textOf = (): string => (decoded ??= bytes.toString())
  return {
    status,
    headers,
    bytes,
    get text() {
      return textOf()
    },
    json: () => pythonJson(textOf()),
  }
}

/** The shape of a reply without content. */
export const empty = { status: 200, text: '', contentType: undefined }
/** Status, text and media type of a reply. */
export const shape = ({ status, text, headers }: Reply) => ({
  status,
  text,
  contentType: headers['content-type'],
})
