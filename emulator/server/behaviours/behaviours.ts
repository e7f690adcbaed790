// Node types whose behaviour does not follow from their declaration: samplers, loaders, and test nodes.

import { hash53 } from '../../lib/random.ts'
import type { Picture } from '../../pictures/picture.ts'
import { type Json, writeJson } from '../../lib/json.ts'
import { isTruthy } from '../../lib/python.ts'
import {
  batchFrom,
  batchPictures,
  type Behaviour,
  byDeclaration,
  type Call,
  declaredOutputs,
  failing,
  numberInput,
  painted,
  pictureInput,
  plain,
  sizeInput,
  stepsOfSigmas,
  textInput,
} from '../nodes/node.ts'
import { pictureLoaders } from './load-image.ts'
import { severalLoaders } from './load-several.ts'
import { rebatchers } from './batch.ts'
import { sourceText } from './printed.ts'
import { savers } from './save-pictures.ts'
import { soundCoders } from './sounds.ts'
import { videoLoaders } from './load-video.ts'
import {
  decoderSteps,
  encoderSteps,
  schedulers,
  reportedSteps,
  upscalerSteps,
  withSteps,
} from './steps.ts'
import type { Value, Work } from '../state/nodes.ts'

/** A sampler paints in a number of steps; with an input picture and a denoise below 1, that picture shows through. */
const sampler =
  (stepsOf: (call: Call) => number): Behaviour =>
  (call) => {
    const steps = Math.max(0, Math.trunc(stepsOf(call)))
    if (steps > 0 && isBeyondSeeds(call))
      return failing('ValueError', 'Overflow when unpacking long long')
    const source = pictureInput(call, 'latent_image')
    if (steps === 0 && source !== undefined)
      return { outputs: declaredOutputs(call).map(() => plain(source)), steps: 0 }
    const scene = painted(call)
    const denoise = numberInput(call, 'denoise') ?? 1
    const picture =
      source !== undefined && source.picture.kind !== 'solid' && denoise < 1
        ? blended(source.picture, scene, denoise)
        : scene
    const count = source?.count ?? 1
    const outputs = declaredOutputs(call).map((): Value => ({ kind: 'picture', picture, count }))
    return { outputs, ...reportedSteps(call, steps), preview: picture }
  }

const LARGEST_SEED = 2n ** 64n - 1n

/** One sampler draws other noise from the next seed. */
const isBeyondSeeds = (call: Call): boolean => {
  const seed = call.inputs.get('seed') ?? call.inputs.get('noise_seed')
  const isLargest = seed?.kind === 'literal' && seed.value === LARGEST_SEED
  return isLargest && textInput(call, 'sampler_name', '') === 'ddim'
}

const blended = (of: Picture, over: Picture, opacity: number): Picture => ({
  kind: 'blended',
  id: hash53(`${of.id}+${over.id}*${opacity}`),
  width: of.width,
  height: of.height,
  of,
  over,
  opacity,
})

/** Without noise to remove there are no steps [runs/no-denoise]. */
const denoisedSteps = (call: Call): number =>
  (numberInput(call, 'denoise') ?? 1) > 0 ? (numberInput(call, 'steps') ?? 0) : 0

const advancedSteps = (call: Call): number => {
  const steps = numberInput(call, 'steps') ?? 0
  const end = Math.min(numberInput(call, 'end_at_step') ?? steps, steps)
  return end - (numberInput(call, 'start_at_step') ?? 0)
}

/** Passes the first picture on, unchanged. */
const passPicture: Behaviour = (call) => {
  const source = pictureInput(call)
  if (source === undefined) return byDeclaration(call)
  return { outputs: call.type.outputs.map(() => plain(source)), steps: 0 }
}

/** Converts each picture of the first input. */
const transform =
  (change: (of: Picture, call: Call) => Picture): Behaviour =>
  (call) => {
    const source = pictureInput(call)
    if (source === undefined) return byDeclaration(call)
    if (source.of !== undefined) {
      const pictures = batchPictures(source).map((of) => change(of, call))
      return { outputs: [batchFrom(pictures)], steps: 0 }
    }
    const picture = change(source.picture, call)
    const rest = source.rest?.map((of) => change(of, call))
    return {
      outputs: [{ kind: 'picture', picture, ...(rest && { rest }), count: source.count }],
      steps: 0,
    }
  }

const scaled = (of: Picture, call: Call): Picture => {
  const { width, height } = sizeInput(call)
  return { kind: 'scaled', id: hash53(`scaled ${of.id}`), width, height, of }
}

const upscaledByModel = (of: Picture): Picture => ({
  kind: 'scaled',
  id: hash53(`upscaled ${of.id}`),
  width: of.width * 4,
  height: of.height * 4,
  of,
})

const literal = (value: Json): Work => ({ outputs: [{ kind: 'literal', value }], steps: 0 })

const primitive: Behaviour = (call) => {
  const value = call.inputs.get('value')
  return { outputs: [value ?? { kind: 'literal', value: null }], steps: 0 }
}

/** Any value as text, which is also its output where the type has one [nodes/passed-on]. */
const previewAny: Behaviour = (call) => {
  const text = sourceText(call)
  const outputs = call.type.outputs.map((): Value => ({ kind: 'literal', value: text }))
  return { outputs, steps: 0, ui: textUi(text) }
}

/** A model file and the camera of its view, unchanged. */
const preview3d: Behaviour = (call) => {
  const camera = call.inputs.get('camera_info')
  const cameraText = camera?.kind === 'literal' ? writeJson(camera.value) : 'null'
  const file = JSON.stringify(textInput(call, 'model_file', ''))
  // A background is stored by a page alone.
  const more = call.world.setup.traits.modelResults === 3 ? ', null' : ''
  return { outputs: [], steps: 0, ui: `{"result": [${file}, ${cameraText}${more}]}` }
}

const textUi = (text: string): string => `{"text": [${JSON.stringify(text)}]}`

/** One of two values. */
const chooseValue: Behaviour = (call) => {
  const by = call.inputs.get('switch')
  const isOn = by?.kind === 'literal' && isTruthy(by.value)
  const value = call.inputs.get(isOn ? 'on_true' : 'on_false')
  return { outputs: [value ?? { kind: 'literal', value: null }], steps: 0 }
}

const slow: Behaviour = (call) => {
  const steps = Math.max(0, Math.trunc(numberInput(call, 'steps') ?? 1))
  const durationMs = Math.max(0, numberInput(call, 'seconds') ?? 1) * 1000
  return { ...passValue(call), steps, stepMs: steps > 0 ? durationMs / steps : durationMs }
}

const passValue = (call: Call): Work => {
  const value = call.inputs.get('value')
  return value === undefined ? byDeclaration(call) : { outputs: [value], steps: 0 }
}

const fail: Behaviour = (call) =>
  failing(textInput(call, 'exception_type', 'ValueError'), textInput(call, 'message', ''))

const talk: Behaviour = (call) => {
  const text = textInput(call, 'text', '')
  return { ...literal(text), text, ui: textUi(text) }
}

const notify: Behaviour = (call) => ({
  outputs: [],
  steps: 0,
  notification: textInput(call, 'value', ''),
})

/** The behaviours by node type. */
export const behaviours: Readonly<Record<string, Behaviour>> = {
  KSampler: sampler(denoisedSteps),
  KSamplerAdvanced: sampler(advancedSteps),
  SamplerCustom: sampler((call) => stepsOfSigmas(call) ?? 0),
  SamplerCustomAdvanced: sampler((call) => stepsOfSigmas(call) ?? 0),
  VAEDecode: passPicture,
  VAEDecodeTiled: withSteps(passPicture, decoderSteps),
  VAEEncode: passPicture,
  VAEEncodeTiled: withSteps(passPicture, encoderSteps),
  VAEEncodeForInpaint: passPicture,
  SetLatentNoiseMask: passPicture,
  LatentUpscale: transform(scaled),
  LatentUpscaleBy: transform(scaled),
  ImageUpscaleWithModel: withSteps(transform(upscaledByModel), upscalerSteps),
  PrimitiveInt: primitive,
  PrimitiveFloat: primitive,
  PrimitiveString: primitive,
  PrimitiveStringMultiline: primitive,
  PrimitiveBoolean: primitive,
  ComfySwitchNode: chooseValue,
  PreviewAny: previewAny,
  Preview3D: preview3d,
  Preview3DAnimation: preview3d,
  FlowdoubleSlow: slow,
  FlowdoubleFail: fail,
  FlowdoubleText: talk,
  FlowdoublePreviews: sampler((call) => numberInput(call, 'steps') ?? 0),
  FlowdoubleNotify: notify,
  ...pictureLoaders,
  ...severalLoaders,
  ...rebatchers,
  ...schedulers,
  ...savers,
  ...soundCoders,
  ...videoLoaders,
}
