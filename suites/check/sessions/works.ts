// The graphs that sessions submit, with what the spec says of their runs.

import { createHash } from 'node:crypto'
import type { Subject } from '../../judge/subject.ts'
import { type Graph, node } from '../../generate/graphs.ts'
import { ownFolder } from '../guard.ts'
import type { Work } from './steps.ts'

/** A submit, and what is known of its run beforehand. */
export type Planned = {
  readonly graph: Graph
  /** Further members of the body. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** The output nodes that run; none if the submit is rejected. */
  readonly targets: readonly string[]
  /** All nodes that run. */
  readonly needed: readonly string[]
  /** The node that fails. */
  readonly fails?: string
  /** Whether its output nodes make files. */
  readonly hasFiles?: true
}

const say = (source: string) => node('PreviewAny', { source })
const image = (color: number, batch_size = 1) =>
  node('EmptyImage', { width: 64, height: 48, batch_size, color })
const nowhere = node('PreviewImage', { images: ['none', 0] })

/** Several texts, each shown by a node. */
function saying(texts: Readonly<Record<string, string>>): Planned {
  const ids = Object.keys(texts)
  const nodes = Object.entries(texts).map(([id, text]) => [id, say(text)] as const)
  return { graph: Object.fromEntries(nodes), targets: ids, needed: ids }
}

/** A text of some hundred KB, with characters of several lengths in UTF-8. */
const long = (text: string): string => `${text} ${'ä lighthouse, 灯台 🗼. '.repeat(9000)}`

/** What a work is. `text` is its own, `color` as well. */
const plans: Readonly<
  Record<Exclude<Work, 'slow' | 'fail'>, (text: string, color: number) => Planned>
> = {
  talk: (text) => saying({ '1': text }),
  pair: (text) => saying({ '7': `${text} first`, '3': `${text} second` }),
  part: (text) => {
    const whole = saying({ '7': `${text} left out`, '3': `${text} asked for` })
    const targets = ['3']
    const fields = { partial_execution_targets: targets }
    return { ...whole, fields, targets, needed: targets }
  },
  half: (text) => {
    const valid = saying({ '1': text })
    return { ...valid, graph: { ...valid.graph, '2': nowhere } }
  },
  invalid: () => ({ graph: { '2': nowhere }, targets: [], needed: [] }),
  unknown: () => ({ graph: { '1': node('NoSuchNode') }, targets: [], needed: [] }),
  picture: (_, color) => ({
    graph: {
      '1': image(color, 2),
      '2': node('SaveImage', { images: ['1', 0], filename_prefix: `${ownFolder}/session` }),
    },
    targets: ['2'],
    needed: ['1', '2'],
    hasFiles: true,
  }),
  preview: (_, color) => ({
    graph: {
      '5': node('PreviewImage', { images: ['4', 0] }),
      '4': node('ImageInvert', { image: ['1', 0] }),
      '1': image(color),
    },
    targets: ['5'],
    needed: ['1', '4', '5'],
    hasFiles: true,
  }),
  large: (text) => saying({ '1': long(text) }),
  many: (text) =>
    saying(
      Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`${at + 1}`, `${text} ${at}`])),
    ),
}

/** What a submit of a session sends. `salt` makes it different from what other sessions have sent. */
export async function planOf(
  { workloads }: Subject,
  work: Work,
  variant: number,
  salt: string,
): Promise<Planned> {
  if (work === 'slow') {
    const graph = await workloads.slow()
    const targets = Object.keys(graph).slice(-1)
    return { graph, targets, needed: Object.keys(graph) }
  }
  if (work === 'fail') {
    const { graph, node_id, before } = await workloads.failing()
    const targets = Object.keys(graph).slice(-1)
    return { graph, targets, needed: [...before, node_id], fails: node_id }
  }
  const color = createHash('sha256').update(`${salt} ${variant}`).digest().readUIntBE(0, 3)
  return plans[work](`${salt} ${variant}`, color)
}
