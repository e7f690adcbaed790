// Output nodes of well-known packs: which keys they report, and what stands below them.

import type { NodeRule } from '../../spec/scenario/nodes.ts'

/** What a node returns to other nodes, and what it reports to its client. */
export type OutputNode = {
  readonly output: readonly string[]
  readonly outputs?: NonNullable<NodeRule['outputs']>
}

const pictures: OutputNode = { output: [], outputs: { images: [{ own: true }] } }
const texts: OutputNode = { output: ['STRING'], outputs: { text: [''] } }

const outputNodes: Readonly<Record<string, OutputNode>> = {
  // What it saves and reports, the server knows.
  VHS_VideoCombine: { output: ['VHS_FILENAMES'] },
  'Image Save': pictures,
  'MaskPreview+': pictures,
  PreviewBridge: pictures,
  'Image Comparer (rgthree)': {
    output: [],
    outputs: { a_images: [{ own: true }], b_images: [{ own: true }] },
  },
  'ShowText|pysssss': texts,
  'Display Any (rgthree)': texts,
  DisplayAny: texts,
}

/** What is known of an output node; undefined for any other type. */
export const outputNodeOf = (class_type: string): OutputNode | undefined =>
  Object.hasOwn(outputNodes, class_type) ? outputNodes[class_type] : undefined
