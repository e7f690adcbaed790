// Judges a server by recorded results: each family of lines is one submit, in which a node of each slot shows the result.

import { createHash } from 'node:crypto'
import { type Graph, node, type Node } from '../../generate/graphs.ts'
import type { RecordedFamily, Selected, SelectedOutput } from '../../nodes/select.ts'
import { inputsIn, type RecipeFiles } from '../../nodes/recipes.ts'
import { NEAR } from '../../nodes/tolerance.ts'
import { latentOf as latentFile, pngOf } from '../../nodes/uploads.ts'
import selected from '../../nodes/selected.json' with { type: 'json' }
import { me } from '../own-runs.ts'
import { passing, put } from '../own-files.ts'
import { missing } from '../skip.ts'
import type { Subject } from '../subject.ts'
import { exceptionOf, latentOf, picturesOf, type SeenPicture } from './shown.ts'

const lines = selected as unknown as readonly Selected[]

/** The lines of a family whose node types the server has. */
async function linesOf(subject: Subject, family: RecordedFamily): Promise<readonly Selected[]> {
  const has = await nodeTypes(subject)
  const own = lines.filter((line) => line.family === family && typesIn(line).every(has))
  if (own.length === 0) throw missing('The server lists none of the node types of these results.')
  return own
}

/** Whether the server lists a node type. */
export async function nodeTypes(subject: Subject): Promise<(class_type: string) => boolean> {
  const types = await subject.once('node types', async () => {
    const all: Readonly<Record<string, unknown>> = (await subject.get('/object_info')).json()
    return new Set(Object.keys(all))
  })
  return (class_type) => types.has(class_type)
}

const typesIn = ({ class_type, inputs }: Selected): readonly string[] => [
  class_type,
  ...[...JSON.stringify(inputs).matchAll(/"class_type":"(\w+)"/g)].map(([, name = '']) => name),
]

/** Uploads the files of some lines, and returns the names by which nodes load them. */
async function uploadFor(subject: Subject, own: readonly Selected[]): Promise<RecipeFiles> {
  const names = new Map<string, string>()
  const contents = new Map<string, () => Uint8Array>()
  const named = (key: string, make: () => Uint8Array): string => {
    contents.set(key, make)
    return names.get(key) ?? ''
  }
  const files: RecipeFiles = {
    picture: (file, k) =>
      named(`${file.pattern}-${file.w}x${file.h}-${k}.png`, () => pngOf(file, k)),
    latent: (file) =>
      named(`${file.pattern}-${file.shape.join('x')}.latent`, () => latentFile(file)),
    audio: () => '',
  }
  for (const { inputs } of own) inputsIn({}, inputs, files)
  for (const [key, make] of contents) {
    const load = async (): Promise<string> => {
      const fields = subject.deployment === 'hosted' ? {} : passing
      const reply = await put(subject, { name: key, bytes: make() }, fields)
      const { name, subfolder = '' } = reply.json() as { name: string; subfolder?: string }
      // A hosted server stores it without its folder.
      const isPlain = subfolder === '' || subject.deployment === 'hosted'
      const path = isPlain ? name : `${subfolder}/${name}`
      return subject.deployment === 'hosted' ? path : `${path} [temp]`
    }
    names.set(key, await subject.once(`recorded ${key}`, load))
  }
  return files
}

/** The node that shows an output. */
function showing(output: SelectedOutput, prefix: string): Node {
  const link = ['tested', output.slot]
  if ('text' in output) return node('PreviewAny', { source: link })
  if ('shape' in output) return node('SaveLatent', { samples: link, filename_prefix: prefix })
  return output.channels === 1
    ? node('MaskPreview', { mask: link })
    : node('PreviewImage', { images: link })
}

/** The nodes of a line and those that show its results, with ids that begin with its place. */
function nodesOf(
  { class_type, inputs }: Selected,
  at: number,
  files: RecipeFiles,
  shown: Graph,
): Graph {
  const nodes: Record<string, Node> = {}
  nodes['tested'] = node(class_type, inputsIn(nodes, inputs, files))
  const own = Object.entries({ ...nodes, ...shown })
  return Object.fromEntries(own.map(([id, one]) => [`${at} ${id}`, moved(one, at)]))
}

/** A node whose links lead to the nodes of its line. */
const moved = ({ class_type, inputs }: Node, at: number): Node => {
  const own = Object.entries(inputs).map(([name, value]) => [
    name,
    Array.isArray(value) ? [`${at} ${value[0]}`, value[1]] : value,
  ])
  return { class_type, inputs: Object.fromEntries(own) }
}

/** What differs from the recorded results of a family, a sentence each. */
export async function recordedFaults(
  subject: Subject,
  family: RecordedFamily,
): Promise<readonly string[]> {
  const own = await linesOf(subject, family)
  const files = await uploadFor(subject, own)
  const graphs = own.map((line, at) => {
    const prefix = subject.unique(`recorded/${at}`)
    const shown = line.outputs.map((one) => [`slot ${one.slot}`, showing(one, prefix)] as const)
    return nodesOf(line, at, files, Object.fromEntries(shown))
  })
  const run = await subject.run(await me(subject), Object.assign({}, ...graphs) as Graph)
  const error = exceptionOf(run)
  if (error !== undefined) return [endedBy(own[Number.parseInt(error.node_id, 10)], error)]
  const faults: string[] = []
  for (const [at, line] of own.entries())
    for (const output of line.outputs) {
      const seen: unknown = run.entry.outputs[`${at} slot ${output.slot}`]
      const difference = await differenceOf(subject, family, seen, output)
      if (difference !== null) faults.push(`${nameOf(line)} ${difference}`)
    }
  return faults
}

const nameOf = ({ class_type, inputs }: Selected): string =>
  `${class_type} of ${JSON.stringify(inputs)}`

const endedBy = (line: Selected | undefined, error: NonNullable<ReturnType<typeof exceptionOf>>) =>
  `${line === undefined ? error.node_id : nameOf(line)} ends the run with ${error.exception_type}: ${error.exception_message.trim()}.`

/** The lines that end with another exception than recorded: each is a run. */
export async function exceptionFaults(subject: Subject): Promise<readonly string[]> {
  const own = await linesOf(subject, 'errors')
  const files = await uploadFor(subject, own)
  const session = await me(subject)
  const faults: string[] = []
  for (const [at, line] of own.entries()) {
    const isOutput = line.class_type === 'PreviewImage'
    const shown: Graph = isOutput ? {} : { shown: node('PreviewAny', { source: ['tested', 0] }) }
    const graph = nodesOf(line, at, files, shown)
    const error = exceptionOf(await subject.run(session, graph))
    const seen = error && [error.exception_type, error.exception_message]
    if (JSON.stringify(seen) !== JSON.stringify(line.exception))
      faults.push(
        `${nameOf(line)} ends with ${JSON.stringify(seen)} instead of ${JSON.stringify(line.exception)}.`,
      )
  }
  return faults
}

/** How an output differs; null if it does not. */
async function differenceOf(
  subject: Subject,
  family: RecordedFamily,
  output: any,
  wanted: SelectedOutput,
): Promise<string | null> {
  if (output === undefined) return 'shows nothing.'
  if ('text' in wanted)
    return textDifference(String(output.text?.[0]), wanted.text, family === 'sigmas')
  if ('shape' in wanted) return latentDifference(await latentOf(subject, output), wanted)
  const most = family === 'scaled' ? NEAR : 0
  return pictureDifference(await picturesOf(subject, output), wanted, most)
}

/** Numbers of a tensor differ in the last digits that are printed. */
const CLOSE = 2e-4

function textDifference(seen: string, wanted: string, isTensor: boolean): string | null {
  if (seen === wanted) return null
  const says = `shows ${JSON.stringify(seen)} instead of ${JSON.stringify(wanted)}.`
  const numbers = (text: string): readonly number[] =>
    (text.match(/-?\d[\d.]*(e[-+]\d+)?/g) ?? []).map(Number)
  const [own, given] = [numbers(seen), numbers(wanted)]
  const isClose = (value: number, at: number): boolean =>
    Math.abs(value - (own[at] ?? Infinity)) <= CLOSE * Math.max(1, Math.abs(value))
  return isTensor && own.length === given.length && given.every(isClose) ? null : says
}

function latentDifference(
  { shape, bytes }: Awaited<ReturnType<typeof latentOf>>,
  wanted: Extract<SelectedOutput, { shape: readonly number[] }>,
): string | null {
  if (String(shape) !== String(wanted.shape))
    return `has the shape ${shape.join()}, not ${wanted.shape.join()}.`
  const sum = createHash('sha256').update(bytes).digest('hex')
  return sum === wanted.sha256 ? null : 'has other numbers in its latent.'
}

function pictureDifference(
  seen: readonly SeenPicture[],
  wanted: Extract<SelectedOutput, { width: number }>,
  most: number,
): string | null {
  const sizes = seen.map(({ width, height }) => `${width}x${height}`).join()
  const size = wanted.pictures.map(() => `${wanted.width}x${wanted.height}`).join()
  if (sizes !== size) return `has the pictures ${sizes} instead of ${size}.`
  for (const [at, { rgba }] of seen.entries()) {
    const { channels, pictures } = wanted
    const bytes = Buffer.from(pictures[at] ?? '', 'base64')
    const off = bytes.reduce((max, byte, place) => {
      const own = rgba[Math.floor(place / channels) * 4 + (place % channels)] ?? 0
      return Math.max(max, Math.abs(byte - own))
    }, 0)
    if (off > most) return `has pixels that are off by ${off}.`
  }
  return null
}
