// Compares what a node computed with what the real server recorded.

import { createHash } from 'node:crypto'
import {
  countOf,
  createRead,
  Instance,
  paint,
  type Picture,
  printed,
  Tensor,
  valueOfOutput,
} from '../../dist/emulator/internal.js'
import { isRecordedMap, type Line, type Recorded, type RecordedMap } from './lines.ts'
import type { Outcome } from './server.ts'

/** What differs, in a few words; null for nothing. */
export type Difference = string | null

/** How far a colour may be off, of 255: resampling differs from machine to machine. */
const NEAR = 2
/** Types whose arithmetic is exact: the others may be near. */
const isNear = (class_type: string, inputs: RecordedMap): boolean =>
  /Scale|Upscale|Resize|Blur|Sharpen|Quantize|Canny|Stitch|Rotate|Batch|CompositeMasked|Preprocess|ApplyOperation|Interpolate|YUV/.test(
    class_type,
  )
    ? inputs['upscale_method'] !== 'nearest-exact'
    : /Blend|Porter|JoinImage|LatentAdd|LatentSubtract|LatentComposite/.test(class_type) &&
      areOfTwoSizes(inputs)

/** Whether pictures of different sizes meet, one of which is scaled. */
const areOfTwoSizes = (inputs: RecordedMap): boolean =>
  new Set(
    JSON.stringify(inputs)
      .match(/"w(?:idth)?":\d+,"h(?:eight)?":\d+|"shape":\[[\d,]+(?=,\d+,\d+\])[\d,]+/g)
      ?.map((size) => size.replaceAll(/[^\d,]/g, '')),
  ).size > 1

/** What PROTOCOL.md leaves made up: noise, codecs, and what only a model can use. */
const isMadeUp = ({ class_type, inputs }: Line): boolean =>
  /^(ImageAddNoise|LTXVPreprocess|WanCameraEmbedding|LossGraphNode)$/.test(class_type) ||
  (class_type === 'SaveAnimatedWEBP' && inputs['lossless'] === false)

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const valueOf = (value: any): any => {
  if (value === undefined) return undefined
  if (value.kind === 'literal') return value.value
  return value.of === undefined ? value : valueOfOutput(value.of)
}

export function compare(line: Line, outcome: Outcome): Difference {
  const { error } = line
  if (error !== undefined) return compareError(line, error, outcome)
  if (outcome.refused !== undefined)
    return `refused: ${JSON.stringify(outcome.refused).slice(0, 200)}`
  if (line.save_error !== undefined) return compareSaveError(line, outcome)
  if (outcome.failure !== undefined)
    return `failed: ${outcome.failure.exception_type}: ${outcome.failure.exception_message.trim().slice(0, 150)}`
  if (line.ui !== undefined) return compareUi(line, outcome)
  for (const output of line.outputs ?? []) {
    const difference = compareSlot(line, output, outcome.outputs?.[output['slot'] as number] ?? [])
    if (difference !== null) return `slot ${output['slot']}: ${difference}`
  }
  return null
}

function compareError(line: Line, error: RecordedMap, outcome: Outcome): Difference {
  if (error['validation'] !== undefined) {
    if (outcome.refused === undefined)
      return `accepted, expected ${JSON.stringify(error['node_errors'] ?? error['validation']).slice(0, 200)}`
    const entries = Object.values(outcome.refused.nodeErrors) as any[]
    const own = entries.flatMap(({ errors, class_type }) =>
      errors.map((one: any) => `${class_type} ${one.type} ${one.message} ${one.details}`),
    )
    const expected = ((error['node_errors'] ?? []) as any[]).flatMap(({ errors, class_type }) =>
      errors.map((one: any) => `${class_type} ${one.type} ${one.message} ${one.details}`),
    )
    return sameText(own.sort().join('\n'), expected.sort().join('\n'))
  }
  if (outcome.refused !== undefined)
    return `refused: ${JSON.stringify(outcome.refused).slice(0, 200)}`
  if (outcome.failure === undefined)
    return `succeeded, expected ${error['exception_type']}: ${error['exception_message']}`
  const { exception_type, exception_message } = outcome.failure
  return sameText(
    `${exception_type}: ${exception_message}`,
    `${error['exception_type']}: ${error['exception_message']}`,
  )
}

const sameText = (text: string, given: string): Difference => {
  const own = text.replaceAll(/0x7f0+\b/g, '0x?')
  const expected = given.replaceAll('/srv/comfy', '/flowdouble')
  return own === expected
    ? null
    : `${JSON.stringify(own).slice(0, 300)} instead of ${JSON.stringify(expected).slice(0, 300)}`
}

const createReader = () => createRead(paint)

function compareSlot(line: Line, expected: RecordedMap, items: readonly any[]): Difference {
  const length = expected['list_length'] as number | undefined
  if (length === undefined) return compareItem(line, expected, items[0])
  if (items.length !== length) return `${items.length} items instead of ${length}`
  for (const [at, item] of items.entries()) {
    const own: Record<string, Recorded> = { type: expected['type'] as string }
    for (const name of ['text', 'shape', 'value']) {
      const list = expected[name] as readonly Recorded[] | undefined
      if (list !== undefined) own[name] = list[at] as Recorded
    }
    const difference = compareItem(line, own, item)
    if (difference !== null) return `item ${at}: ${difference}`
  }
  return null
}

function compareItem(line: Line, expected: RecordedMap, item: any): Difference {
  if (item === undefined) return 'no output'
  const type = expected['type'] as string
  if (type === 'IMAGE' || type === 'MASK') return comparePictures(line, expected, item)
  const value = valueOf(item)
  if (expected['text'] !== undefined && expected['type'] !== 'CONDITIONING') {
    const read = createReader()
    const own = printed(value, read).replaceAll(/0x[0-9a-f]{6,}/g, '0x?')
    if (own !== expected['text'] && !(type === 'SIGMAS'))
      return sameText(own, expected['text'] as string)
  }
  return expected['value'] === undefined ? null : compareValue(line, expected['value'], value, '')
}

function comparePictures(line: Line, expected: RecordedMap, item: any): Difference {
  if (item.kind !== 'picture') return `no picture but ${item.kind}`
  const { of, picture, count } =
    expected['type'] === 'MASK' && item.of === undefined ? asImage(item) : item
  const tensor = of === undefined ? undefined : valueOfOutput(of)
  const shape =
    tensor instanceof Tensor
      ? tensor.shape
      : [count, picture.height, picture.width, ...(expected['type'] === 'MASK' ? [] : [3])]
  if (expected['shape'] !== undefined && `${shape}` !== `${expected['shape']}`)
    return `shape ${shape} instead of ${expected['shape']}`
  const pictures = (expected['pictures'] ?? []) as readonly RecordedMap[]
  for (const [index, one] of pictures.entries()) {
    const part: Picture =
      item.rest?.[index - 1] ?? (picture.kind === 'computed' ? { ...picture, index } : picture)
    const difference = comparePixels(line, one, index > 0 && item.rest ? part : part, expected)
    if (difference !== null) return `picture ${index}: ${difference}`
  }
  return null
}

/** A mask that is not computed, as the picture that shows it. */
function asImage(mask: any): any {
  const pictures = [mask.picture, ...(mask.rest ?? [])]
  const inputs = { mask: { kind: 'pictures', as: 'MASK', pictures } }
  const recipe = { class_type: 'MaskToImage', id: 0, inputs, depth: 0, effort: 0 }
  const of = { recipe, slot: 0, item: null }
  const { width, height } = mask.picture
  return {
    picture: { kind: 'computed', id: 0, width, height, of, index: 0, effort: 0 },
    count: mask.count,
  }
}

/** Only a hash is recorded of larger pictures: where colours may be near, it says nothing. */
const MOST_PAINTED = 2 ** 16

function comparePixels(
  line: Line,
  expected: RecordedMap,
  picture: Picture,
  { channels, type }: RecordedMap,
): Difference {
  const given = (expected['bytes'] ?? expected['gray']) as string | undefined
  const isUnjudged = given === undefined && isNear(line.class_type, line.inputs)
  if (isMadeUp(line) || (isUnjudged && picture.width * picture.height > MOST_PAINTED)) return null
  const { data } = paint(picture)
  const own = Buffer.alloc((data.length / 4) * (channels as number))
  for (let at = 0, to = 0; at < data.length; at += 4)
    for (let channel = 0; channel < (channels as number); channel++) own[to++] = data[at + channel]!
  if (sha256(own) === expected['sha256']) return null
  if (given === undefined) return isUnjudged ? null : 'other pixels'
  const bytes = Buffer.from(given, 'base64')
  const step = type === 'MASK' ? 3 : 1
  let most = 0
  for (let at = 0; at < bytes.length; at++)
    most = Math.max(most, Math.abs(bytes[at]! - own[at * step]!))
  return most <= (isNear(line.class_type, line.inputs) ? NEAR : 0) ? null : `pixels off by ${most}`
}

function compareValue(line: Line, expected: Recorded, own: any, path: string): Difference {
  if (isRecordedMap(expected)) {
    if (expected['tensor'] !== undefined)
      return compareTensor(line, expected['tensor'] as RecordedMap, own, path)
    if (isRecordedMap(expected['dict'])) {
      if (!(own instanceof Map)) return `${path} is not a dict`
      const [names, ownNames] = [Object.keys(expected['dict']).sort(), [...own.keys()].sort()]
      if (`${names}` !== `${ownNames}`) return `${path} has ${ownNames} instead of ${names}`
      for (const name of names) {
        const difference = compareValue(
          line,
          expected['dict'][name] as Recorded,
          own.get(name),
          `${path}.${name}`,
        )
        if (difference !== null) return difference
      }
      return null
    }
    if (Array.isArray(expected['list'] ?? expected['tuple'])) {
      if (!Array.isArray(own)) return `${path} is not a list`
      if (own.length !== expected['length'])
        return `${path} has ${own.length} items instead of ${expected['length']}`
      for (const [at, item] of ((expected['list'] ?? expected['tuple']) as Recorded[]).entries()) {
        const difference = compareValue(line, item, own[at], `${path}[${at}]`)
        if (difference !== null) return difference
      }
      return null
    }
    if (expected['object'] !== undefined) {
      const name = expected['object'] as string
      if (name === 'list') return Array.isArray(own) ? null : `${path} is not a list`
      if (!(own instanceof Instance)) return `${path} is not an object`
      if (own.name !== name) return `${path} is ${own.name} instead of ${name}`
      for (const [field, value] of Object.entries((expected['fields'] ?? {}) as RecordedMap)) {
        const difference = compareValue(line, value, own.fields.get(field), `${path}.${field}`)
        if (difference !== null) return difference
      }
      return null
    }
    if (expected['function'] !== undefined)
      return own instanceof Instance && own.name === expected['function']
        ? null
        : `${path} is not the function`
  }
  if (typeof expected === 'string' && expected.startsWith('whole:'))
    return expected === `whole:${own}` ? null : `${path} ${own}`
  const plain =
    typeof own === 'object' && own !== null && 'float' in own
      ? own.float
      : typeof own === 'bigint'
        ? Number(own)
        : own
  if (typeof plain === 'number' && typeof expected === 'number')
    return Math.abs(plain - expected) <= 1e-6 * Math.abs(expected)
      ? null
      : `${path} ${plain} instead of ${expected}`
  return JSON.stringify(plain) === JSON.stringify(expected)
    ? null
    : `${path} ${JSON.stringify(plain)} instead of ${JSON.stringify(expected).slice(0, 100)}`
}

/** Sums of products in another order differ in the last digits. */
const CLOSE = 2e-5

function compareTensor(line: Line, expected: RecordedMap, own: any, path: string): Difference {
  if (!(own instanceof Tensor)) return `${path} is not a tensor`
  if (`${own.shape}` !== `${expected['shape']}`)
    return `${path} shape ${own.shape} instead of ${expected['shape']}`
  if (own.dtype !== expected['dtype']) return `${path} ${own.dtype} instead of ${expected['dtype']}`
  // Conditioning comes from a model.
  if (/CONDITIONING/.test(path) || own.shape.at(-1) === 1024) return null
  const read = createReader()
  const items = Array.from({ length: countOf(own) }, (_, index) => read(own, index))
  const values = new Float32Array(items.reduce((sum, { length }) => sum + length, 0))
  let filled = 0
  for (const item of items) {
    values.set(item, filled)
    filled += item.length
  }
  const bytes = bytesOf(own.dtype, values)
  if (sha256(bytes) === expected['sha256']) return null
  const given =
    (expected['values'] as (number | string)[] | undefined)?.map(Number) ??
    (expected['bytes'] === undefined
      ? undefined
      : numbersOf(expected['bytes'] as string, own.dtype))
  if (isMadeUp(line)) return null
  if (given === undefined)
    return isNear(line.class_type, line.inputs) ? null : `${path} other numbers`
  let most = 0
  for (const [at, value] of given.entries()) {
    const mine = values[at]!
    if (Object.is(value, mine) || (Number.isNaN(value) && Number.isNaN(mine))) continue
    most = Math.max(most, Math.abs(value - mine) / Math.max(1, Math.abs(value)))
    if (Number.isNaN(most)) return `${path} not a number`
  }
  return most <= CLOSE ? null : `${path} off by ${most}`
}

const bytesOf = (dtype: string, values: Float32Array): Uint8Array => {
  if (dtype === 'int64')
    return new Uint8Array(BigInt64Array.from([...values].map((one) => BigInt(one))).buffer)
  if (dtype === 'bool') return Uint8Array.from(values)
  return new Uint8Array(values.buffer)
}

function numbersOf(base64: string, dtype: string): number[] {
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'))
  if (dtype === 'int64') return [...new BigInt64Array(bytes.buffer)].map(Number)
  if (dtype === 'bool') return [...bytes]
  return [...new Float32Array(bytes.buffer)]
}

function compareSaveError(line: Line, outcome: Outcome): Difference {
  const value = valueOf(outcome.outputs?.[0]?.[0])
  if (!(value instanceof Tensor)) return 'no tensor'
  const shape = line.shape ?? line.outputs?.[0]?.['shape']
  return `${value.shape}` === `${shape}` ? null : `shape ${value.shape} instead of ${shape}`
}

function compareUi(line: Line, outcome: Outcome): Difference {
  const own = outcome.ui
  if (line.ui === null) return own === null ? null : `output ${JSON.stringify(own)}`
  if (own === null || own === undefined) return 'no output'
  for (const [key, entries] of Object.entries(line.ui ?? {})) {
    if (!Array.isArray(entries)) continue
    const list = own[key]
    if (!Array.isArray(list)) return `no ${key}`
    if (list.length !== entries.length) return `${list.length} ${key} instead of ${entries.length}`
    for (const [at, entry] of entries.entries()) {
      const difference = isRecordedMap(entry)
        ? compareFile(line, entry, list[at], outcome)
        : sameText(JSON.stringify(list[at]), JSON.stringify(entry))
      if (difference !== null) return `${key} ${at}: ${difference}`
    }
  }
  return null
}

const nameOf = (name: string): string =>
  name
    .replace(/temp_[a-z]{5}_/, 'temp_?????_')
    .replaceAll(/\d{5}_/g, '#_')
    .replaceAll(/\d{2,}[-_\d]*/g, '#')

function compareFile(line: Line, expected: RecordedMap, own: any, { world }: Outcome): Difference {
  if (own === undefined) return 'no file'
  if (expected['filename'] === undefined)
    return sameText(JSON.stringify(own), JSON.stringify(expected))
  for (const name of ['subfolder', 'type'])
    if (own[name] !== expected[name]) return `${name} ${own[name]} instead of ${expected[name]}`
  if (nameOf(own.filename) !== nameOf(expected['filename'] as string))
    return sameText(own.filename, expected['filename'] as string)
  const file = (world.state.files.entries as Map<string, any>).get(
    `${own.type}/${own.subfolder}/${own.filename}`,
  )?.value
  const content = file?.content
  if (expected['w'] === undefined) return null
  if (content === undefined || !('picture' in content)) return 'no picture'
  const { picture } = content
  if (`${picture.width}x${picture.height}` !== `${expected['w']}x${expected['h']}`)
    return `${picture.width}x${picture.height} instead of ${expected['w']}x${expected['h']}`
  if (expected['bytes'] === undefined && expected['sha256'] === undefined) return null
  return comparePixels(line, expected, picture, {
    channels: (expected['mode'] as string).length,
    type: 'IMAGE',
  })
}
