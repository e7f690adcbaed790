// Compares what a node computed with what the real server recorded.

import {
  createRead,
  paint,
  type Picture,
  printed,
  Tensor,
  valueOfOutput,
} from '../../dist/emulator/internal.js'
import { isRecordedMap, type Line, type Recorded, type RecordedMap } from './lines.ts'
import { byText, compareValue, type Difference } from './compare-values.ts'
import type { Outcome } from './server.ts'
import { isMadeUp, isNear, NEAR, sha256 } from './tolerance.ts'

/** The value on a link, with its numbers; pictures that are not computed stay as they are. */
const valueOf = (value: any): any => {
  if (value === undefined) return undefined
  if (value.kind === 'literal') return value.value
  return value.of === undefined ? value : valueOfOutput(value.of)
}

/** What differs between a recorded line and what came of the same node here. */
export function compare(line: Line, outcome: Outcome): Difference {
  const { error } = line
  if (error !== undefined) return compareError(error, outcome)
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

function compareError(error: RecordedMap, outcome: Outcome): Difference {
  if (error['validation'] !== undefined) {
    if (outcome.refused === undefined)
      return `accepted, expected ${JSON.stringify(error['node_errors'] ?? error['validation']).slice(0, 200)}`
    return sameText(
      refusalText(Object.values(outcome.refused.nodeErrors)),
      refusalText(error['node_errors'] ?? []),
    )
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

/** The errors of refused nodes, in an order that does not depend on that of the server. */
const refusalText = (refused: readonly any[]): string =>
  refused
    .flatMap(({ errors, class_type }) =>
      errors.map((one: any) => `${class_type} ${one.type} ${one.message} ${one.details}`),
    )
    .toSorted(byText)
    .join('\n')

/** Compares texts, apart from addresses in memory and the folder of the server. */
const sameText = (text: string, given: string): Difference => {
  const own = text.replaceAll(/0x7f0+\b/g, '0x?')
  const expected = given.replaceAll('/srv/comfy', '/flowdouble')
  return own === expected
    ? null
    : `${JSON.stringify(own).slice(0, 300)} instead of ${JSON.stringify(expected).slice(0, 300)}`
}

function compareSlot(line: Line, expected: RecordedMap, items: readonly any[]): Difference {
  const length = expected['list_length'] as number | undefined
  if (length === undefined) return compareItem(line, expected, items[0])
  if (items.length !== length) return `${items.length} items instead of ${length}`
  for (const [at, item] of items.entries()) {
    const own: Record<string, Recorded> = { type: expected['type'] as string }
    for (const name of ['text', 'shape', 'value']) {
      const list = expected[name] as readonly Recorded[] | undefined
      if (list !== undefined) own[name] = list[at]
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
    const own = printed(value, createRead(paint)).replaceAll(/0x[0-9a-f]{6,}/g, '0x?')
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
  if (expected['shape'] !== undefined && String(shape) !== String(expected['shape']))
    return `shape ${shape.join()} instead of ${expected['shape']}`
  const pictures = (expected['pictures'] ?? []) as readonly RecordedMap[]
  for (const [index, one] of pictures.entries()) {
    const part: Picture =
      item.rest?.[index - 1] ?? (picture.kind === 'computed' ? { ...picture, index } : picture)
    const difference = comparePixels(line, one, part, expected)
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

function compareSaveError(line: Line, outcome: Outcome): Difference {
  const value = valueOf(outcome.outputs?.[0]?.[0])
  if (!(value instanceof Tensor)) return 'no tensor'
  const shape = line.shape ?? line.outputs?.[0]?.['shape']
  return String(value.shape) === String(shape)
    ? null
    : `shape ${value.shape.join()} instead of ${String(shape)}`
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

/** A name of a file without what differs from run to run: letters, counters, dates. */
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
