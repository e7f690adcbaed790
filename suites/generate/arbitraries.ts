// Random valid workflows: small ones around pictures, and trees of any types of the catalogue.

import * as fc from 'fast-check'
import { addNode, type NodeType, type Pick, pickFrom, types } from './catalogue.ts'
import { type Graph, type Node, node } from './graphs.ts'

/** The parts from which one node is made. */
export type Draw = {
  readonly kind: number
  readonly from: readonly [number, number]
  readonly value: number
  /** Choices for a node of the catalogue. */
  readonly picks: readonly number[]
}

type Kind = {
  /** Whether other nodes can use its picture. */
  readonly hasPicture: boolean
  readonly make: (picture: (at: 0 | 1) => unknown, value: number, any: unknown) => Node
}

const sources: readonly Kind[] = [
  {
    hasPicture: true,
    make: (_, color) =>
      node('EmptyImage', { width: 8, height: 8, batch_size: 1 + (color % 2), color }),
  },
  {
    hasPicture: true,
    make: (_, seed) => node('FlowdoublePreviews', { width: 16, height: 16, steps: 1 + seed, seed }),
  },
]
const outputs: readonly Kind[] = [
  { hasPicture: false, make: (picture) => node('PreviewImage', { images: picture(0) }) },
  {
    hasPicture: false,
    make: (picture, value) =>
      node('SaveImage', { images: picture(0), filename_prefix: `image${value}` }),
  },
  {
    hasPicture: false,
    make: (_, value, any) => node('FlowdoubleText', { text: `text ${value}`, value: any }),
  },
  {
    hasPicture: false,
    make: (_, steps, any) => node('FlowdoubleSlow', { seconds: 1, steps, value: any }),
  },
]
const changes: readonly Kind[] = [
  { hasPicture: true, make: (picture) => node('ImageInvert', { image: picture(0) }) },
  {
    hasPicture: true,
    make: (picture) => node('ImageBatch', { image1: picture(0), image2: picture(1) }),
  },
  {
    hasPicture: true,
    make: (picture, value) =>
      node('ImageScale', {
        image: picture(0),
        upscale_method: 'bilinear',
        width: 4 + value,
        height: 4,
        crop: 'disabled',
      }),
  },
]
const kinds = [...sources, ...outputs, ...changes]

/** This many of the kinds mean a node of any type of the catalogue. */
const CATALOGUE_KINDS = 3

/**
 * A workflow of these draws: the first node makes a picture, the last is an output, links go to earlier nodes. Some
 * nodes are of any type of the catalogue, and come with the nodes that feed them.
 */
export function graphOf(draws: readonly Draw[]): Graph {
  const graph: Record<string, Node> = {}
  const pictures: string[] = []
  const givers: string[] = []
  for (const [index, { kind, from, value, picks }] of draws.entries()) {
    const isLast = index === draws.length - 1
    const choice =
      pictures.length === 0 ? (isLast ? outputs.slice(2) : sources) : isLast ? outputs : kinds
    const chosen = choice[kind % (choice.length + (choice === kinds ? CATALOGUE_KINDS : 0))]
    if (chosen === undefined) {
      const pick = pickFrom(picks)
      const type = feeding[pick(feeding.length)]!
      const id = addNode(graph, type, pick)
      if (type.outputs[0] === 'IMAGE') pictures.push(id)
      givers.push(id)
      continue
    }
    const link = (at: 0 | 1): unknown => [pictures[from[at] % pictures.length], 0]
    const any = givers.length === 0 ? 'nothing' : [givers[from[1] % givers.length], 0]
    const id = `${String.fromCharCode(97 + ((index * 7 + value) % 26))}${index}`
    graph[id] = chosen.make(link, value, any)
    if (chosen.hasPicture) {
      pictures.push(id)
      givers.push(id)
    }
  }
  return graph
}

const feeds = ({ isOutput, outputs }: NodeType): boolean => !isOutput && outputs.length > 0
const feeding = types.filter(feeds)

const picks = fc.array(fc.nat(9999), { minLength: 1, maxLength: 12 })
const draw: fc.Arbitrary<Draw> = fc.record({
  kind: fc.nat((kinds.length + CATALOGUE_KINDS) * 12 - 1),
  from: fc.tuple(fc.nat(9), fc.nat(9)),
  value: fc.nat(3),
  picks,
})
export const draws = fc.array(draw, { minLength: 1, maxLength: 10 })

/** A workflow with one output that depends on all of its nodes: a node of this type and the nodes that feed it. */
export function treeOf(type: NodeType, pick: Pick): Graph {
  const graph: Record<string, Node> = {}
  const root = addNode(graph, type, pick)
  if (type.isOutput) return graph
  return { ...graph, shown: node('PreviewAny', { source: [root, pick(type.outputs.length)] }) }
}

/** The types at the root of a tree. */
export const roots = types.filter((type) => type.isOutput || feeds(type))

export const trees: fc.Arbitrary<Graph> = fc
  .tuple(fc.constantFrom(...roots), picks)
  .map(([type, numbers]) => treeOf(type, pickFrom(numbers)))
