// Laws about binary frames: they can be decoded, hold what their layout says, and come while their node runs.

import { frames, previewMetadata } from '../../spec/server/frames.ts'
import type { DecodedFrame, Item, Trace, TracedSocket } from '../../dist/emulator/session/index.js'
import { violations } from '../judge/judge.ts'
import { type Finding, law, type Law, shown, unless } from './law.ts'
import { isOf } from './media.ts'

type Framed = { readonly socket: TracedSocket; readonly item: Item; readonly frame: DecodedFrame }

const framed = (...kinds: readonly DecodedFrame['frame'][]) =>
  function* ({ sockets }: Trace): Iterable<Framed> {
    for (const socket of sockets)
      for (const item of socket.items)
        if (item.frame !== undefined && kinds.includes(item.frame.frame))
          yield { socket, item, frame: item.frame }
  }

/** Binary messages, those that cannot be decoded too. */
function* binary({ sockets }: Trace): Iterable<{ socket: TracedSocket; item: Item }> {
  for (const socket of sockets)
    for (const item of socket.items)
      if (typeof socket.recorded.messages[item.index]?.data !== 'string') yield { socket, item }
}

const imageTypes: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(frames.previewImage.fields[0].values).map(([type, code]) => [code, type]),
)

/** What is known of the run on a socket, at each of its previews. */
type Shown = Framed & {
  /** The run that has started and is not over, */
  readonly running: unknown
  /** and the node that runs; null before the first. */
  readonly node: unknown
}

/** The previews during a run, each with the node that runs. */
function* previews({ sockets, place }: Trace): Iterable<Shown> {
  for (const socket of sockets) {
    let running: unknown
    let node: unknown = null
    for (const item of socket.items) {
      const { message, frame } = item
      if (frame !== undefined && frame.frame !== 'text' && running !== undefined)
        yield { socket, item, frame, running, node }
      if (message === undefined || place === 'hosted') continue
      const { prompt_id, node: next } = message.data
      if (message.type === 'execution_start') [running, node] = [prompt_id, null]
      else if (message.type === 'executing' && prompt_id === running) node = next
      if (/^execution_(?:success|error|interrupted)$/.test(message.type)) running = undefined
    }
  }
}

const isMetadata = (frame: DecodedFrame): Readonly<Record<string, unknown>> | undefined =>
  frame.frame === 'previewWithMetadata'
    ? (frame.fields['metadata'] as Readonly<Record<string, unknown>>)
    : undefined

function placeFaults({ socket, item, frame, running, node }: Shown): readonly Finding[] {
  const at = { socket, item }
  if (node === null) return [{ at, says: `A preview of ${shown(running)} comes before executing.` }]
  const metadata = isMetadata(frame)
  return unless(
    metadata === undefined || (metadata['prompt_id'] === running && metadata['node_id'] === node),
    at,
    () => `A preview of node ${shown(metadata?.['node_id'])} comes while ${shown(node)} runs.`,
  )
}

export const frameLaws: readonly Law[] = [
  law('frames/type-code', binary, ({ socket, item }) =>
    unless(
      item.problem === undefined,
      { socket, item },
      () => `The frame cannot be read: ${item.problem}`,
    ),
  ),
  law('frames/image-types', framed('previewImage'), ({ socket, item, frame }) => {
    const { image_type, image } = frame.fields
    const type = imageTypes[image_type as number]
    return unless(
      type !== undefined && isOf(type, image as Uint8Array),
      { socket, item },
      () => `The image of type ${shown(image_type)} is not ${type ?? 'of a known type'}.`,
    )
  }),
  law('frames/metadata-names-node', framed('previewWithMetadata'), ({ socket, item, frame }) =>
    violations(previewMetadata, frame.fields['metadata']).map((says) => ({
      at: { socket, item },
      says: `The metadata of a preview: ${says}`,
    })),
  ),
  law('frames/preview-with-metadata', framed('previewWithMetadata'), ({ socket, item, frame }) => {
    const { image_type: type = 'image/jpeg' } = isMetadata(frame) ?? {}
    const image = frame.fields['image'] as Uint8Array
    return unless(
      isOf(type as string, image) || (type === 'image/jpeg' && isOf('image/png', image)),
      { socket, item },
      () => `The image is not ${shown(type)}.`,
    )
  }),
  law(
    'frames/metadata-when-asked',
    framed('previewImage', 'previewWithMetadata'),
    ({ socket, item, frame }) =>
      unless(
        (frame.frame === 'previewWithMetadata') === socket.wantsMetadata,
        { socket, item },
        () =>
          socket.wantsMetadata
            ? 'The client requested metadata, and a preview has none.'
            : 'The client did not request metadata, and a preview has it.',
      ),
  ),
  law('frames/preview-place', previews, placeFaults),
]
