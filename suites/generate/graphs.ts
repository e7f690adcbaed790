// Small workflows that the cases submit.

export type Node = {
  readonly class_type: string
  readonly inputs: Readonly<Record<string, unknown>>
}
export type Graph = Readonly<Record<string, Node>>

/** A node of a graph. */
export const node = (class_type: string, inputs: Readonly<Record<string, unknown>> = {}): Node => ({
  class_type,
  inputs,
})

/** Two nodes: a picture of one colour, saved. */
export const solid = (color = 0, prefix = 'solid'): Graph => ({
  '1': node('EmptyImage', { width: 64, height: 64, batch_size: 1, color }),
  '2': node('SaveImage', { images: ['1', 0], filename_prefix: prefix }),
})

/** The classic text-to-image workflow, small: seven nodes, `steps` steps in node 3, output in node 9. */
export const textToImage = (seed = 1, steps = 3, batch = 1): Graph => ({
  '3': node('KSampler', {
    model: ['4', 0],
    seed,
    steps,
    cfg: 8,
    sampler_name: 'euler',
    scheduler: 'normal',
    positive: ['6', 0],
    negative: ['7', 0],
    latent_image: ['5', 0],
    denoise: 1,
  }),
  '4': node('CheckpointLoaderSimple', { ckpt_name: 'sd_xl_base_1.0.safetensors' }),
  '5': node('EmptyLatentImage', { width: 64, height: 64, batch_size: batch }),
  '6': node('CLIPTextEncode', { text: 'a lighthouse', clip: ['4', 1] }),
  '7': node('CLIPTextEncode', { text: 'text', clip: ['4', 1] }),
  '8': node('VAEDecode', { samples: ['3', 0], vae: ['4', 2] }),
  '9': node('SaveImage', { images: ['8', 0], filename_prefix: 'image' }),
})

/** `sampler` is what a model makes of a latent in one step, with the checkpoint for a decoder. */
export const sampled = (latent: Node, text: string): Graph => ({
  checkpoint: node('CheckpointLoaderSimple', { ckpt_name: 'v1-5-pruned-emaonly-fp16.safetensors' }),
  text: node('CLIPTextEncode', { text, clip: ['checkpoint', 1] }),
  empty: latent,
  sampler: node('KSampler', {
    model: ['checkpoint', 0],
    positive: ['text', 0],
    negative: ['text', 0],
    latent_image: ['empty', 0],
    seed: 7,
    steps: 1,
    cfg: 7,
    sampler_name: 'euler',
    scheduler: 'normal',
    denoise: 1,
  }),
})

/** One output node that runs for this many seconds, in this many steps. */
export const slow = (seconds = 10, steps = 5): Graph => ({
  '1': node('FlowdoubleSlow', { seconds, steps }),
})

/** A test node that fails between two that do not. */
export const failing = (exception_type = 'ValueError', message = 'made to fail'): Graph => ({
  '1': node('EmptyImage', { width: 64, height: 64, batch_size: 1, color: 0 }),
  '2': node('FlowdoubleFail', { exception_type, message, value: ['1', 0] }),
  '3': node('SaveImage', { images: ['2', 0], filename_prefix: 'never' }),
})

/** A test node whose output is this text, at whatever length. */
export const saying = (text = 'hello'): Graph => ({ '1': node('FlowdoubleText', { text }) })

/** One output node whose output is this text, on any server. */
export const talking = (text = 'hello'): Graph => ({ '1': node('PreviewAny', { source: text }) })

/** A graph in which some inputs of one node have other values. An undefined one leaves the input out. */
export const changed = (
  graph: Graph,
  id: string,
  inputs: Readonly<Record<string, unknown>>,
): Graph => {
  const before = graph[id]
  if (before === undefined) throw new Error(`The graph has no node ${id}.`)
  return { ...graph, [id]: { ...before, inputs: { ...before.inputs, ...inputs } } }
}

/** A graph whose savers have other prefixes. Those that lead out of the folder of outputs stay as they are. */
export const savingAt = (graph: Graph, place: (prefix: string) => string): Graph =>
  Object.fromEntries(
    Object.entries(graph).map(([id, one]) => {
      const prefix = one?.inputs?.['filename_prefix']
      return typeof prefix !== 'string' || /^[/\\]|(^|[/\\])\.\.([/\\]|$)/.test(prefix)
        ? [id, one]
        : [id, { ...one, inputs: { ...one.inputs, filename_prefix: place(prefix) } }]
    }),
  )

/** A picture from a partner, saved. */
export const bought = (prompt = 'a lighthouse'): Graph => ({
  '1': node('OpenAIDalle3', { prompt }),
  '2': node('SaveImage', { images: ['1', 0], filename_prefix: 'bought' }),
})
