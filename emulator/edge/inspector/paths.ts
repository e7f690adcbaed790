// The control paths that show one entry of a journal in full: its explanation, and the pictures among its effects.
// Loaded with the first control request.

import type { JournalReader } from '../../journal/explain.ts'
import type { Effect, FrameContent, Input } from '../../machine.ts'
import type * as Pictures from '../../pictures/encode.ts'
import { type ControlPaths, type ControlReply, ok, refusal } from '../control.ts'
import type { Recorder } from '../recorder.ts'

/** @param readerOf loads what reads the journals of a gateway; undefined for those of a server. */
export const explainPath = (
  { lines }: Pick<Recorder<unknown, unknown>, 'lines'>,
  readerOf?: () => Promise<JournalReader>,
): ControlPaths => ({
  'GET explain/{name}': async ({ segment }) => {
    // The sentences of all rules come with it.
    const { explain, parseJournal } = await import('../../journal/explain.ts')
    const journal = parseJournal((await lines()).join('\n'))
    const found = explain(journal, numberOf(segment), await readerOf?.())
    return found === undefined ? refusal(404, 'The journal does not have this entry.') : ok(found)
  },
})

export const picturePath = ({ view }: Pick<Recorder<Input, Effect>, 'view'>): ControlPaths => ({
  'GET pictures/{name}': async ({ segment }) => {
    const [entry = '', effect = ''] = segment.split('.')
    const { first, entries } = await view()
    const one = entries[numberOf(entry) - first]?.effects[numberOf(effect)]
    // The codecs are large, and few ask for a picture.
    return pictureOf(one, await import('../../pictures/encode.ts')) ?? refusal(404, noPicture)
  },
})

const noPicture =
  'No picture: give the number of an entry and that of an effect from 0 on, such as /_flowdouble/pictures/12.0.'

const numberOf = (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : NaN)

type Codec = Pick<typeof Pictures, 'encodeFile' | 'encodeImage'>

/** The picture of an effect: that of a frame, sent or lost, or a picture file in a reply. */
function pictureOf(effect: Effect | undefined, codec: Codec): ControlReply | undefined {
  if (effect?.kind === 'lost') return pictureOf(effect.message, codec)
  if (effect?.kind === 'frame') return frameOf(effect.content, codec)
  if (effect?.kind !== 'reply') return undefined
  const { body } = effect
  return typeof body === 'string' || body instanceof Uint8Array
    ? undefined
    : picture(`image/${body.format}`, codec.encodeFile(body))
}

function frameOf(content: FrameContent, { encodeImage }: Codec): ControlReply | undefined {
  if (content.frame === 'text' || content.frame === 'scripted') return undefined
  if (content.frame !== 'recorded') return picture(`image/${content.format}`, encodeImage(content))
  const { bytes } = content
  // A preview without metadata: its kind and its format in four bytes each, then the picture.
  const [kind, format] = [bytes[3], bytes[7]]
  if (kind !== 1 || (format !== 1 && format !== 2)) return undefined
  return picture(format === 1 ? 'image/jpeg' : 'image/png', bytes.subarray(8))
}

const picture = (type: string, bytes: Uint8Array): ControlReply => ({
  status: 200,
  type,
  body: new Uint8Array(bytes),
  headers: { 'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Resource-Policy': 'same-origin' },
})
