// Node types whose behaviour does not follow from their declaration: samplers, loaders, and test nodes.

import { hash53 } from '../../lib/random.ts'
import type { Picture } from '../../pictures/picture.ts'
import { isObject, type Json, writeJson } from '../../lib/json.ts'
import {
  type Behaviour,
  byDeclaration,
  type Call,
  declaredOutputs,
  failing,
  numberInput,
  painted,
  pictureInput,
  sizeInput,
  stepsOfSigmas,
  textInput,
} from './node.ts'
import { pythonText } from '../../lib/python.ts'
import { pictureLoaders } from './load-image.ts'
import { rebatchers } from './batch.ts'
import { savers } from './save-files.ts'
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
    const source = pictureInput(call, 'latent_image')
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

const blended = (of: Picture, over: Picture, opacity: number): Picture => ({
  kind: 'blended',
  id: hash53(`${of.id}+${over.id}*${opacity}`),
  width: of.width,
  height: of.height,
  of,
  over,
  opacity,
})

const advancedSteps = (call: Call): number => {
  const steps = numberInput(call, 'steps') ?? 0
  const end = Math.min(numberInput(call, 'end_at_step') ?? steps, steps)
  return end - (numberInput(call, 'start_at_step') ?? 0)
}

/** Passes the first picture on, unchanged. */
const passPicture: Behaviour = (call) => {
  const source = pictureInput(call)
  if (source === undefined) return byDeclaration(call)
  return { outputs: call.type.outputs.map(() => source), steps: 0 }
}

/** An empty latent or image: one colour until a sampler paints on it. */
const solid =
  (colorOf: (call: Call) => number): Behaviour =>
  (call) => {
    const color = colorOf(call) & 0xffffff
    const { width, height } = sizeInput(call)
    const picture: Picture = { kind: 'solid', id: hash53(`solid ${color}`), width, height, color }
    const count = Math.max(1, Math.trunc(numberInput(call, 'batch_size') ?? 1))
    return { outputs: [{ kind: 'picture', picture, count }], steps: 0 }
  }

/** Converts each picture of the first input. */
const transform =
  (change: (of: Picture, call: Call) => Picture): Behaviour =>
  (call) => {
    const source = pictureInput(call)
    if (source === undefined) return byDeclaration(call)
    const picture = change(source.picture, call)
    const rest = source.rest?.map((of) => change(of, call))
    return {
      outputs: [{ kind: 'picture', picture, ...(rest && { rest }), count: source.count }],
      steps: 0,
    }
  }

const inverted = (of: Picture): Picture => ({
  kind: 'inverted',
  id: hash53(`inverted ${of.id}`),
  width: of.width,
  height: of.height,
  of,
})

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

const cropped = (of: Picture, call: Call): Picture => {
  const x = Math.min(Math.max(0, numberInput(call, 'x') ?? 0), of.width - 1)
  const y = Math.min(Math.max(0, numberInput(call, 'y') ?? 0), of.height - 1)
  const width = Math.min(numberInput(call, 'width') ?? of.width, of.width - x)
  const height = Math.min(numberInput(call, 'height') ?? of.height, of.height - y)
  return { kind: 'cropped', id: hash53(`cropped ${of.id} ${x},${y}`), width, height, of, x, y }
}

const imageSize: Behaviour = (call) => {
  const source = pictureInput(call)
  const width = source?.picture.width ?? 0
  const height = source?.picture.height ?? 0
  const count = source?.count ?? 0
  const outputs = [width, height, count].map((value): Value => ({ kind: 'literal', value }))
  const text = `width: ${width}, height: ${height}\n batch size: ${count}`
  return { outputs, steps: 0, text }
}

const literal = (value: Json): Work => ({ outputs: [{ kind: 'literal', value }], steps: 0 })

const primitive: Behaviour = (call) => {
  const value = call.inputs.get('value')
  return { outputs: [value ?? { kind: 'literal', value: null }], steps: 0 }
}

/** Two texts with a third one between them. */
const joinTexts: Behaviour = (call) => {
  const [first, between, second] = ['string_a', 'delimiter', 'string_b'].map((name) =>
    textInput(call, name, ''),
  )
  return { outputs: [{ kind: 'literal', value: `${first}${between}${second}` }], steps: 0 }
}

/** Any value as text: texts and numbers as Python prints them, objects and arrays as JSON. */
const previewAny: Behaviour = (call) => {
  const source = call.inputs.get('source')
  const value = source?.kind === 'literal' ? source.value : null
  const text = isObject(value) || Array.isArray(value) ? writeJson(value) : pythonText(value)
  return { outputs: [], steps: 0, ui: textUi(source?.kind === 'picture' ? describe(source) : text) }
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

const describe = ({ picture, count }: { picture: Picture; count: number }): string =>
  `picture of ${picture.width} x ${picture.height} pixels, ${count} in the batch`

const textUi = (text: string): string => `{"text": [${JSON.stringify(text)}]}`

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
  KSampler: sampler((call) => numberInput(call, 'steps') ?? 0),
  KSamplerAdvanced: sampler(advancedSteps),
  SamplerCustom: sampler((call) => stepsOfSigmas(call) ?? 0),
  SamplerCustomAdvanced: sampler((call) => stepsOfSigmas(call) ?? 0),
  VAEDecode: passPicture,
  VAEDecodeTiled: withSteps(passPicture, decoderSteps),
  VAEEncode: passPicture,
  VAEEncodeTiled: withSteps(passPicture, encoderSteps),
  VAEEncodeForInpaint: passPicture,
  SetLatentNoiseMask: passPicture,
  MaskToImage: passPicture,
  EmptyLatentImage: solid(() => 0),
  EmptySD3LatentImage: solid(() => 0),
  EmptyImage: solid((call) => numberInput(call, 'color') ?? 0),
  SolidMask: solid((call) => Math.round((numberInput(call, 'value') ?? 1) * 255) * 0x010101),
  ImageInvert: transform(inverted),
  InvertMask: transform(inverted),
  ImageScale: transform(scaled),
  ImageScaleBy: transform(scaled),
  LatentUpscale: transform(scaled),
  LatentUpscaleBy: transform(scaled),
  ImageUpscaleWithModel: withSteps(transform(upscaledByModel), upscalerSteps),
  ImageCrop: transform(cropped),
  GetImageSize: imageSize,
  StringConcatenate: joinTexts,
  PrimitiveInt: primitive,
  PrimitiveFloat: primitive,
  PrimitiveString: primitive,
  PrimitiveStringMultiline: primitive,
  PrimitiveBoolean: primitive,
  PreviewAny: previewAny,
  Preview3D: preview3d,
  Preview3DAnimation: preview3d,
  FlowdoubleSlow: slow,
  FlowdoubleFail: fail,
  FlowdoubleText: talk,
  FlowdoublePreviews: sampler((call) => numberInput(call, 'steps') ?? 0),
  FlowdoubleNotify: notify,
  ...pictureLoaders,
  ...rebatchers,
  ...schedulers,
  ...savers,
}
