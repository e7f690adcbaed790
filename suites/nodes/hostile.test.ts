// What holds for every node that computes, whatever it is called with: it comes to an end, and its exception is one of the
// real server, not one of the language that this server is written in.

import { expect, test } from 'vitest'
import { readLines, type RecordedMap } from './lines.ts'
import { createNodeServer } from './server.ts'
import { types } from '../generate/catalogue.ts'
import { isLong } from '../support/effort.ts'

const recorded = new Set(readLines().map(({ class_type }) => class_type))
const computing = types.filter(({ name }) => recorded.has(name))

/** Texts of exceptions that JavaScript throws. */
const INTERNAL =
  /Cannot read|Cannot destructure|is not a function|undefined(?! character)|Invalid (?:array|typed|string|count)|call stack|\[object|BigInt|offset is out/

const node = (class_type: string, inputs: RecordedMap, slot = 0) => ({
  node: { class_type, inputs, slot },
})
const numberOf = (value: number | string) =>
  node(Number.isInteger(value) ? 'PrimitiveInt' : 'PrimitiveFloat', { value })
const textOf = (value: string) => node('PrimitiveString', { value })

const numbers = [2 ** 40, 2 ** 31, 10_000, 8192, 999, 0, 1, 2, 3, -1, -5, 1.5, -0.3, 1e308]
const texts = ['', 'a', '(a+)+b', '(a)\\1{1000}', 'a{0,4294967294}', '('.repeat(500), '%date%']
const odd = [null, true, [], {}, { samples: 1 }, { waveform: [] }, [[1, 2], 3], [null], 'x', 7]
const sides = [0, 1, 2, 3, 8, 64]

/** Whatever a test case draws next. */
type Draw = <Item>(items: readonly Item[]) => Item

function drawFrom(seed: number): Draw {
  let state = seed
  return (items) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return items[(state >>> 8) % items.length] as never
  }
}

const sources: Readonly<Record<string, (draw: Draw) => unknown>> = {
  IMAGE: (draw) => {
    const [width, height, batch_size] = [draw(sides), draw(sides), draw([1, 1, 2, 0])].map(numberOf)
    return node('EmptyImage', { width, height, batch_size, color: 255 })
  },
  MASK: (draw) => {
    const [width, height] = [draw(sides), draw(sides)].map(numberOf)
    return node('SolidMask', { value: 0.5, width, height })
  },
  LATENT: (draw) => {
    const [width, height] = [draw(sides), draw(sides)].map((side) => numberOf(side * 8))
    const [class_type, more] = draw([
      ['EmptyLatentImage', { batch_size: 2 }],
      ['EmptyHunyuanLatentVideo', { batch_size: 1, length: numberOf(draw([1, 5, 2 ** 40])) }],
    ] as const)
    return node(class_type, { width, height, ...more })
  },
  AUDIO: (draw) =>
    node('EmptyAudio', { duration: draw([0, 0.01, 1e6]), sample_rate: 8000, channels: 2 }),
  CONDITIONING: () => node('LotusConditioning', {}),
  SIGMAS: (draw) =>
    node('KarrasScheduler', { steps: draw([1, 5]), sigma_max: 14, sigma_min: 0.03, rho: 7 }),
}

function valueFor(type: string | readonly unknown[], draw: Draw): unknown {
  if (draw([...Array(12).keys()]) === 0) return draw(odd)
  if (typeof type !== 'string') return draw(type)
  if (type === 'INT') return numberOf(draw(numbers))
  if (type === 'FLOAT')
    return draw([numberOf(draw(numbers)), node('PrimitiveFloat', { value: 'nan' })])
  if (type === 'STRING') return draw([draw(texts), textOf(draw(texts))])
  if (type === 'BOOLEAN') return draw([true, false])
  return sources[type]?.(draw) ?? draw(odd)
}

test(`nodes/exceptions Whatever nodes are called with, they end with what the real server would say.`, () => {
  const rounds = isLong ? 30 : 1
  let failed = 0
  for (let round = 0; round < rounds; round++) {
    const server = createNodeServer('folders')
    for (const [at, { name, inputs, outputs }] of computing.entries()) {
      const draw = drawFrom(round * 1000 + at)
      const given: Record<string, unknown> = {}
      for (const input of inputs) given[input.name] = valueFor(input.type, draw)
      const shown = outputs.length === 0 ? undefined : node(name, given)
      const { failure, ui } =
        shown === undefined ? server.run(name, given) : server.run('PreviewAny', { source: shown })
      if (failure !== undefined) failed++
      const said = failure?.exception_message ?? `${ui?.text ?? ''}`
      expect([name, INTERNAL.exec(said)?.[0]]).toEqual([name, undefined])
    }
  }
  expect(failed).toBeGreaterThan(rounds * 20)
})
