// Makes servers that compute wrongly: where a model with one fault predicts another text, name or pixel than the right one, they
// show what it predicts.

import type { Graph, Node } from '../../generate/graphs.ts'
import { predict, type PredictedFile, type Twist } from '../../model/nodes/predict.ts'
import { encodedPng } from '../../nodes/uploads.ts'
import { mapped, onEntry, onPicture, type Maker } from '../tamper.ts'

/** A call as the recipe of a picture has it. */
type Recipe = {
  readonly class_type: string
  readonly inputs: Readonly<Record<string, any>>
}

/** The texts of a history entry, as the wrong model shows them. */
function wrongTexts(twist: Twist, entry: any): unknown {
  const graph = entry.prompt[2] as Graph
  const [right, wrong] = [predict(graph), predict(graph, twist)]
  const outputs = mapped(entry.outputs, (output, id) => {
    const [own, other] = [right.outputs.get(id)?.texts, wrong.outputs.get(id)?.texts]
    const isWrong = own !== undefined && other !== undefined && String(own) !== String(other)
    return isWrong ? { ...output, text: other } : output
  })
  return { ...entry, outputs }
}

/** Adds the nodes of a recipe to a graph, and returns the id of the last. */
function addRecipe(graph: Record<string, Node>, { class_type, inputs }: Recipe): string {
  const own = Object.entries(inputs).map(([name, source]) => {
    if (source.kind === 'literal') return [name, source.value?.float ?? source.value]
    // Uploaded pictures and lists have no numbers in the model.
    if (source.kind !== 'output' || source.of.item !== null) return [name, ['nothing', 0]]
    return [name, [addRecipe(graph, source.of.recipe), source.of.slot]]
  })
  const id = `${Object.keys(graph).length}`
  graph[id] = { class_type, inputs: Object.fromEntries(own) }
  return id
}

/** What both models say of a computed picture. */
function filesOf(picture: any, twist: Twist): readonly (PredictedFile | undefined)[] {
  const graph: Record<string, Node> = {}
  const link = [addRecipe(graph, picture.of.recipe), picture.of.slot]
  graph['image'] = { class_type: 'PreviewImage', inputs: { images: link } }
  graph['mask'] = { class_type: 'MaskPreview', inputs: { mask: link } }
  return [{}, twist].map((one) => {
    const { outputs } = predict(graph, one)
    return (outputs.get('image') ?? outputs.get('mask'))?.files?.[picture.index]
  })
}

function wrongPicture(twist: Twist, file: any): unknown {
  if (file.picture.kind !== 'computed' || file.picture.of.item !== null) return file
  const [right, wrong] = filesOf(file.picture, twist)
  const bytes = wrong?.bytes
  if (wrong === undefined || !bytes || String(right?.bytes) === String(bytes)) return file
  const { width, height, channels } = wrong
  const png = encodedPng(
    width,
    height,
    channels,
    (x, y, channel) => bytes[(y * width + x) * channels + channel] ?? 0,
  )
  return { ...file, picture: { kind: 'stored', id: file.picture.id, width, height, bytes: png } }
}

/** A server that computes as the model with a fault does. */
export const computing =
  (twist: Twist): Maker =>
  (deployment) => {
    const makers = [
      onEntry((entry) => wrongTexts(twist, entry)),
      onPicture((file) => wrongPicture(twist, file)),
    ].map((maker) => maker(deployment))
    return (effects, input) => makers.reduce((changed, make) => make(changed, input), effects)
  }

/** A server whose saved files have the size of the picture before the last node in their names. */
export const namingEarlier: Maker = onEntry((entry) => {
  const graph = entry.prompt[2] as Record<string, Node>
  const earlier = mapped(graph, ({ class_type, inputs }: Node) => {
    const [source] = class_type === 'SaveImage' ? (inputs['images'] as [string, number]) : ['']
    const before = graph[source]?.inputs['image']
    return { class_type, inputs: before === undefined ? inputs : { ...inputs, images: before } }
  })
  const { outputs } = predict(earlier as Graph)
  const named = mapped(entry.outputs, (output, id) => {
    const name = outputs.get(id)?.files?.[0]?.name
    const images = output.images?.map((one: any, at: number) =>
      at === 0 && name !== undefined ? { ...one, filename: name } : one,
    )
    return images === undefined ? output : { ...output, images }
  })
  return { ...entry, outputs: named }
})
