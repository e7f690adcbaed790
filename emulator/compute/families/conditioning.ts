// Conditioning: a list of pairs, each of the embedding of a text and of what else a sampler shall know.

import { floatOf, type Json } from '../../lib/json.ts'
import { type Family, type Inputs, memberTensor } from '../values/inputs.ts'
import { combine, concatenate } from '../values/layout.ts'
import { scaleImage } from '../arithmetic/scaling.ts'
import { filled, map, numbers, outOfMemory, Tensor } from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'
import { isMap, misused, typeName, type Use, type Value, type ValueMap } from '../values/values.ts'

type Pair = readonly [embedding: Tensor, more: ValueMap]

/** More pairs exceed the simulated memory: a conditioning that is combined with itself doubles. */
const MOST_PAIRS = 1024

function pairsOf({ value }: Inputs, name: string, use: Use = 'iterate'): readonly Pair[] {
  const given = value(name)
  return Array.isArray(given) ? given.map(pairOf) : misused(given, use)
}

/** A pair of a conditioning, which may be a list of anything: no model has made it. */
function pairOf(given: Value): Pair {
  if (!Array.isArray(given)) return misused(given, 'index')
  if (given.length < 2) return raise('IndexError', 'list index out of range')
  const [embedding = null, more = null] = given
  if (!isMap(more)) return misused(more, '.copy')
  return embedding instanceof Tensor ? [embedding, more] : misused(embedding, '.shape')
}

/** Two conditionings as one. */
const joined = (a: readonly unknown[], b: readonly unknown[]): Value =>
  a.length + b.length > MOST_PAIRS ? outOfMemory() : ([...a, ...b] as Value)

/** The pairs with these values besides their own. */
const withValues = (pairs: readonly Pair[], values: Readonly<Record<string, Value>>): Value[] =>
  pairs.map(([embedding, more]) => [embedding, new Map([...more, ...Object.entries(values)])])

/** A node that sets values of one conditioning. */
const setting =
  (valuesOf: (inputs: Inputs) => Readonly<Record<string, Value>>, name = 'conditioning') =>
  (inputs: Inputs): readonly Value[] => [withValues(pairsOf(inputs, name), valuesOf(inputs))]

/** A node that sets the same values of both. */
const settingBoth =
  (valuesOf: (inputs: Inputs) => Readonly<Record<string, Value>>) =>
  (inputs: Inputs): readonly Value[] =>
    ['positive', 'negative'].map((name) => withValues(pairsOf(inputs, name), valuesOf(inputs)))

const float = ({ number }: Inputs, name: string, fallback = 0): Json =>
  floatOf(number(name, fallback))

function added({ value }: Inputs, a: string, b: string): Value {
  const [one, other] = [value(a), value(b)]
  if (Array.isArray(one) && Array.isArray(other)) return joined(one, other)
  const types = `'${typeName(one)}' and '${typeName(other)}'`
  return raise('TypeError', `unsupported operand type(s) for +: ${types}`)
}

/** The first embedding of a conditioning that is mixed in. */
function firstOf(inputs: Inputs, name: string): Tensor {
  const [first] = pairsOf(inputs, name, 'len')
  return (first ?? raise('IndexError', 'list index out of range'))[0]
}

function average(inputs: Inputs): readonly Value[] {
  const from = firstOf(inputs, 'conditioning_from')
  const share = inputs.number('conditioning_to_strength', 1)
  const pairs = pairsOf(inputs, 'conditioning_to', 'len')
  return [
    pairs.map(([to, more]): Value => {
      const mixed = combine(to, from, (a, b) => a * share + b * (1 - share))
      return [mixed, new Map(more)]
    }),
  ]
}

const concat = (inputs: Inputs): readonly Value[] => {
  const from = firstOf(inputs, 'conditioning_from')
  const pairs = pairsOf(inputs, 'conditioning_to', 'len')
  return [pairs.map(([to, more]): Value => [concatenate([to, from], 1), new Map(more)])]
}

const EIGHTH = 8

const area = (inputs: Inputs): Readonly<Record<string, Value>> => ({
  area: ['height', 'width', 'y', 'x'].map((name) => Math.floor(inputs.number(name) / EIGHTH)),
  strength: float(inputs, 'strength'),
  set_area_to_bounds: false,
})

const percentage =
  (names: readonly string[]) =>
  (inputs: Inputs): Readonly<Record<string, Value>> => ({
    area: ['percentage', ...names.map((name) => float(inputs, name))],
    strength: float(inputs, 'strength'),
    set_area_to_bounds: false,
  })

/** A mask for a conditioning; one picture becomes a batch. */
function masked(inputs: Inputs): Readonly<Record<string, Value>> {
  const mask = inputs.tensor('mask', '.shape')
  return {
    mask: mask.shape.length < 3 ? new Tensor([1, ...mask.shape], mask.make) : mask,
    set_area_to_bounds: inputs.text('set_cond_area') !== 'default',
    mask_strength: float(inputs, 'strength', 1),
  }
}

/** What the nodes with hooks set: a mask, a part of the time; hooks come from models. */
function properties(inputs: Inputs): Readonly<Record<string, Value>> {
  const range = inputs.value('timesteps')
  const [start = null, end = null] = Array.isArray(range) ? range : []
  return {
    ...(inputs.has('mask') && masked(inputs)),
    ...(Array.isArray(range) && { start_percent: start, end_percent: end }),
  }
}

const withDefault = (inputs: Inputs, name: string, other: string): Value =>
  joined(pairsOf(inputs, name), withValues(pairsOf(inputs, other), { default: true }))

/** A latent or a picture that is appended to a list of the same name. */
function reference(inputs: Inputs): readonly Value[] {
  const pairs = pairsOf(inputs, 'conditioning')
  if (!inputs.has('latent')) return [[...pairs] as unknown as Value]
  const samples = memberTensor(inputs.members('latent'))
  return [
    pairs.map(([embedding, more]): Value => {
      const known = more.get('reference_latents')
      const all = (Array.isArray(known) ? known : []).concat([samples])
      return [embedding, new Map(more).set('reference_latents', all)]
    }),
  ]
}

function upscale(inputs: Inputs): readonly Value[] {
  const image = inputs.tensor('images', '.shape')
  const ratio = inputs.number('scale_ratio')
  const [count = 0, rows = 0, columns = 0] = image.shape
  const side = (length: number): number => Math.max(1, roundEven(length * ratio))
  const [height, width] = [side(rows), side(columns)]
  if (Math.floor(width / 4) === 0 && ratio <= 0) raise('ZeroDivisionError', 'division by zero')
  const centred = map(image, (value) => value * 2 - 1)
  const pixels = scaleImage(
    centred,
    Math.floor(width / 4),
    Math.floor(height / 4),
    'bilinear',
    'center',
  )
  const values = {
    concat_image: planar(pixels),
    noise_augmentation: float(inputs, 'noise_augmentation'),
  }
  const samples = filled([count, 4, Math.floor(height / 4), Math.floor(width / 4)], 0)
  return [
    withValues(pairsOf(inputs, 'positive'), values),
    withValues(pairsOf(inputs, 'negative'), values),
    new Map([['samples', samples]]),
  ]
}

function roundEven(value: number): number {
  const rounded = Math.round(value)
  return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded
}

/** A picture with its channels in front. */
const planar = (image: Tensor): Tensor => {
  const [count = 0, rows = 0, columns = 0, channels = 1] = image.shape
  return new Tensor([count, channels, rows, columns], (index, read) => {
    const item = read(image, index)
    const size = rows * columns
    return numbers(item.length, (at) => item[(at % size) * channels + Math.floor(at / size)]!)
  })
}

/** The embedding of an empty text: its numbers come from a model, here it is empty. */
const empty: Value = [[filled([1, 2, 1024], 0), new Map<string, Value>()]]

function cropGuides(inputs: Inputs): readonly Value[] {
  const latent = inputs.members('latent', '.copy')
  const samples = memberTensor(latent)
  for (const name of ['positive', 'negative']) pairsOf(inputs, name)
  if (samples.shape.length !== 5)
    raise('ValueError', `not enough values to unpack (expected 5, got ${samples.shape.length})`)
  const [count = 0, , frames = 0] = samples.shape
  const mask = latent.get('noise_mask') ?? filled([count, 1, frames, 1, 1], 1)
  return [
    inputs.value('positive'),
    inputs.value('negative'),
    new Map(latent).set('noise_mask', mask),
  ]
}

const PERCENTAGES = ['height', 'width', 'y', 'x']
const PERCENTAGES_OF_VIDEO = ['temporal', 'height', 'width', 'z', 'y', 'x']

export const conditioning: Family = {
  ConditioningAverage: average,
  ConditioningCombine: (inputs) => [added(inputs, 'conditioning_1', 'conditioning_2')],
  ConditioningConcat: concat,
  ConditioningSetArea: setting(area),
  ConditioningSetAreaPercentage: setting(percentage(PERCENTAGES)),
  ConditioningSetAreaPercentageVideo: setting(percentage(PERCENTAGES_OF_VIDEO)),
  ConditioningSetAreaStrength: setting((inputs) => ({ strength: float(inputs, 'strength') })),
  ConditioningSetDefaultCombine: (inputs) => [withDefault(inputs, 'cond', 'cond_DEFAULT')],
  ConditioningSetMask: setting(masked),
  ConditioningSetProperties: setting(properties, 'cond_NEW'),
  ConditioningSetPropertiesAndCombine: (inputs) => [
    joined(pairsOf(inputs, 'cond'), withValues(pairsOf(inputs, 'cond_NEW'), properties(inputs))),
  ],
  ConditioningSetTimestepRange: setting((inputs) => ({
    start_percent: float(inputs, 'start'),
    end_percent: float(inputs, 'end'),
  })),
  ConditioningStableAudio: settingBoth((inputs) => ({
    seconds_start: float(inputs, 'seconds_start'),
    seconds_total: float(inputs, 'seconds_total'),
  })),
  ConditioningTimestepsRange: (inputs) => {
    const [start, end] = [float(inputs, 'start_percent'), float(inputs, 'end_percent', 1)]
    return [
      [start, end],
      [floatOf(0), start],
      [end, floatOf(1)],
    ]
  },
  ConditioningZeroOut: (inputs) => [
    pairsOf(inputs, 'conditioning').map(([embedding, more]): Value => [
      map(embedding, () => 0),
      new Map(more),
    ]),
  ],
  FluxDisableGuidance: setting(() => ({ guidance: null })),
  FluxGuidance: setting((inputs) => ({ guidance: float(inputs, 'guidance') })),
  FluxKontextMultiReferenceLatentMethod: setting((inputs) => ({
    // Two spellings of one method.
    reference_latents_method: inputs.text('reference_latents_method').replace('uxo/uno', 'uxo'),
  })),
  HunyuanRefinerLatent: (inputs) => {
    const latent = inputs.members('latent')
    const samples = memberTensor(latent)
    const values = {
      concat_latent_image: samples,
      noise_augmentation: float(inputs, 'noise_augmentation'),
    }
    const [count = 0, , ...sides] = samples.shape
    const empty = new Map([
      ['samples', filled([count, 32, sides[0] ?? 0, ...samples.shape.slice(-2)], 0)],
    ])
    return [
      withValues(pairsOf(inputs, 'positive'), values),
      withValues(pairsOf(inputs, 'negative'), values),
      empty,
    ]
  },
  LTXVConditioning: settingBoth((inputs) => ({ frame_rate: float(inputs, 'frame_rate') })),
  LTXVCropGuides: cropGuides,
  LotusConditioning: () => [empty],
  PairConditioningCombine: (inputs) => [
    added(inputs, 'positive_A', 'positive_B'),
    added(inputs, 'negative_A', 'negative_B'),
  ],
  PairConditioningSetDefaultCombine: (inputs) => [
    withDefault(inputs, 'positive', 'positive_DEFAULT'),
    withDefault(inputs, 'negative', 'negative_DEFAULT'),
  ],
  PairConditioningSetProperties: (inputs) =>
    ['positive_NEW', 'negative_NEW'].map((name) =>
      withValues(pairsOf(inputs, name), properties(inputs)),
    ),
  PairConditioningSetPropertiesAndCombine: (inputs) =>
    ['positive', 'negative'].map((name) =>
      joined(pairsOf(inputs, name), withValues(pairsOf(inputs, `${name}_NEW`), properties(inputs))),
    ),
  ReferenceLatent: reference,
  SD_4XUpscale_Conditioning: upscale,
  StableCascade_StageB_Conditioning: (inputs) => {
    const prior = memberTensor(inputs.members('stage_c'))
    return [withValues(pairsOf(inputs, 'conditioning'), { stable_cascade_prior: prior })]
  },
}
