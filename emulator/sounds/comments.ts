// Texts in files of sounds: comments as FLAC and Opus have them.

import { concat, little, utf8 } from '../lib/bytes.ts'

/** Texts by keywords. */
export type Texts = ReadonlyArray<readonly [keyword: string, text: string]>

const counted = (text: string): Uint8Array[] => {
  const bytes = utf8(text)
  return [little(bytes.length, 4), bytes]
}

/** The name of the writer, then `keyword=text`; a keyword has no equals sign. */
export const commentsOf = (texts: Texts): Uint8Array =>
  concat([
    ...counted('flowdouble'),
    little(texts.length, 4),
    ...texts.flatMap(([keyword, text]) => counted(`${keyword.replaceAll('=', '-')}=${text}`)),
  ])
