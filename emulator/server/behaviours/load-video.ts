// The node of a pack that loads the frames of a video [scenario/video-loaded].

import { countOf, evaluate, Tensor } from '../../compute/index.ts'
import { hash53 } from '../../lib/random.ts'
import type { Recipe, Source } from '../../pictures/picture.ts'
import { linkValue } from '../nodes/computed.ts'
import { fileSource } from '../nodes/named-sources.ts'
import { type Behaviour, byDeclaration, type Call, numberInput } from '../nodes/node.ts'
import type { Value } from '../state/nodes.ts'

/** A call that computes, on these sources. */
const recipeFor = (
  call: Call,
  class_type: string,
  inputs: Readonly<Record<string, Source>>,
  depth: number,
): Recipe => {
  const id = hash53(`${call.world.setup.pictureSeed}:${call.hash}:${class_type}`)
  return { class_type, id, inputs, depth, effort: 0 }
}

const literal = (value: number): Source => ({ kind: 'literal', value })

/** Its frames as its settings choose them, their number, and its sound. */
const loadVideo: Behaviour = (call) => {
  const file = fileSource(call, 'video')
  if (file?.kind !== 'file' || (file.bytes === null && file.made === undefined))
    return byDeclaration(call)
  const loaded = recipeFor(call, 'LoadVideo', { file }, 1)
  const setting = (name: string): Source => literal(numberInput(call, name) ?? 0)
  const frames = recipeFor(
    call,
    FRAMES,
    {
      video: { kind: 'output', of: { recipe: loaded, slot: 0, item: null } },
      rate: setting('force_rate'),
      skipped: setting('skip_first_frames'),
      every: setting('select_every_nth'),
      most: setting('frame_load_cap'),
    },
    2,
  )
  const [images, audio] = evaluate(frames)
  if (!(images instanceof Tensor)) return byDeclaration(call)
  const declared = byDeclaration(call).outputs as readonly Value[]
  const outputs = call.type.outputs.map((type, at): Value => {
    if (type === 'IMAGE') return linkValue(type, { recipe: frames, slot: 0, item: null }, images)
    if (type === 'INT') return { kind: 'literal', value: countOf(images) }
    if (type === 'AUDIO' && audio !== undefined && audio !== null)
      return linkValue(type, { recipe: frames, slot: 1, item: null }, audio)
    return declared[at] as Value
  })
  return { outputs, steps: 0 }
}

/** What computes the frames: not a type that clients can name. */
const FRAMES = '(frames)'

export const videoLoaders: Readonly<Record<string, Behaviour>> = {
  VHS_LoadVideo: loadVideo,
  VHS_LoadVideoPath: loadVideo,
  VHS_LoadVideoFFmpeg: loadVideo,
}
