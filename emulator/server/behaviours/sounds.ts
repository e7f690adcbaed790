// Node types between sounds and the latents of models [nodes/sound-decoded]: their length is known, what sounds is a
// tone.

import { hash53 } from '../../lib/random.ts'
import type { Recipe } from '../../pictures/picture.ts'
import { type Behaviour, byDeclaration, type Call, painted, pictureInput } from '../nodes/node.ts'
import { soundInputs } from './save-media.ts'
import type { Value } from '../state/nodes.ts'

const RATE = 44_100
/** Samples for a column of a latent, by the height of the picture that stands for it. */
const samplesOfColumn: Readonly<Record<number, number>> = { 64: 2048, 128: 512 }
const HEIGHT = 64

/** A tone as long as the latent; of a second, if that is none of a sound. */
const decode: Behaviour = (call) => {
  const source = pictureInput(call)
  const { width, height } = source?.picture ?? { width: 0, height: 0 }
  const samples = width * (samplesOfColumn[height] ?? 0)
  const count = source?.count ?? 1
  return { outputs: [toneOf(call, samples === 0 ? RATE : samples, count)], steps: 0 }
}

/** The sound of a call of this type, in which a node that computes sounds finds its samples. */
function toneOf(call: Call, samples: number, count: number): Value {
  const id = hash53(`${call.world.setup.pictureSeed}:${call.hash}`)
  const numbers = { id, rate: RATE, channels: 2, samples, count }
  const inputs = Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [name, { kind: 'literal', value } as const]),
  )
  const recipe: Recipe = { class_type: TONE, id, inputs, depth: 1, effort: samples * 2 }
  return { kind: 'opaque', id, count: 0, of: { recipe, slot: 0, item: null } }
}

/** What computes a tone: not a type that clients can name. */
const TONE = '(tone)'

/** A latent as long as the sound. */
const encode: Behaviour = (call) => {
  const [sound] = soundInputs(call.inputs.get('audio'))
  if (sound === undefined) return byDeclaration(call)
  const seconds = sound.samples / sound.rate
  const width = Math.max(1, Math.round((seconds * RATE) / samplesOfColumn[HEIGHT]!))
  const picture = { ...painted(call), width, height: HEIGHT }
  return { outputs: [{ kind: 'picture', picture, count: 1 }], steps: 0 }
}

export const soundCoders: Readonly<Record<string, Behaviour>> = {
  VAEDecodeAudio: decode,
  VAEEncodeAudio: encode,
}
