// Plays the generated workflows of each seed on a server, and compares all that they show with what the model predicts. One that
// shows something wrong is made smaller as long as it still does.

import { createRandom } from '../../check/sessions/random.ts'
import { shrink } from '../../check/sessions/shrink.ts'
import { nodeForms } from '../../generate/computing-nodes.ts'
import { CHOICES, type Choices, workflowOf } from '../../generate/computing-workflows.ts'
import type { Graph } from '../../generate/graphs.ts'
import {
  predict,
  type Prediction,
  type PredictedFile,
  type Shown,
} from '../../model/nodes/predict.ts'
import type { Session } from '../client.ts'
import type { Run, Subject } from '../subject.ts'
import { me } from '../own-runs.ts'
import { nodeTypes } from './recorded.ts'
import { exceptionOf, latentOf, picturesOf, type SeenPicture } from './shown.ts'

/** What is wrong with the run of a workflow, as sentences. */
export async function workflowFaults(
  subject: Subject,
  session: Session,
  graph: Graph,
): Promise<readonly string[]> {
  // The smallest workflow has no node, which a server refuses.
  if (Object.keys(graph).length === 0) return []
  const prediction = predict(graph)
  const run = await subject.run(session, graph)
  const faults = [...endFaults(subject, run, prediction)]
  for (const [id, shown] of prediction.outputs) {
    const output: unknown = run.entry.outputs[id]
    if (output !== undefined) faults.push(...(await outputFaults(subject, id, shown, output)))
    else if (exceptionOf(run) === undefined) faults.push(`Node ${id} has no output.`)
  }
  return faults
}

/** Whether the run ended as predicted. */
function endFaults(
  { deployment }: Subject,
  run: Run,
  { failures, open }: Prediction,
): readonly string[] {
  const error = exceptionOf(run)
  const wanted = [...failures].map(([id, type]) => `${type} at node ${id}`).join(' or ')
  if (error === undefined) return wanted === '' ? [] : [`The run succeeds instead of ${wanted}.`]
  const { node_id, exception_type, exception_message } = error
  const isType = failures.get(node_id) === exception_type
  // Hosted servers have their own words for exceptions.
  const isPredicted = failures.has(node_id) && (isType || deployment === 'hosted')
  if (open.has(node_id) || isPredicted) return []
  const seen = `${exception_type} (${exception_message.trim()}) at node ${node_id}`
  return [`The run fails with ${seen} instead of ${wanted === '' ? 'no exception' : wanted}.`]
}

async function outputFaults(
  subject: Subject,
  id: string,
  { texts, files, shape }: Shown,
  output: any,
): Promise<readonly string[]> {
  if (texts !== undefined) return differing(id, 'shows', texts, output.text)
  if (shape !== undefined)
    return differing(id, 'saves a latent', shape, (await latentOf(subject, output)).shape)
  return fileFaults(subject, id, files ?? [], await picturesOf(subject, output))
}

function differing(id: string, what: string, wanted: unknown, seen: unknown): readonly string[] {
  const [one, other] = [wanted, seen].map((value) => JSON.stringify(value))
  return one === other ? [] : [`Node ${id} ${what} ${other} instead of ${one}.`]
}

function fileFaults(
  { deployment }: Subject,
  id: string,
  wanted: readonly PredictedFile[],
  seen: readonly SeenPicture[],
): readonly string[] {
  const sizes = (files: readonly { readonly width: number; readonly height: number }[]) =>
    files.map(({ width, height }) => `${width}x${height}`)
  const faults = [...differing(id, 'has pictures', sizes(wanted), sizes(seen))]
  const isNamed = wanted[0]?.name !== undefined && deployment === 'local'
  const names = (files: readonly { readonly name?: string }[]) => files.map(({ name }) => name)
  if (isNamed) faults.push(...differing(id, 'saves', names(wanted), names(seen)))
  if (faults.length > 0) return faults
  return wanted.flatMap((file, at) => pixelFaults(`Picture ${at} of node ${id}`, file, seen[at]))
}

/** The first pixel that differs. */
function pixelFaults(
  what: string,
  { bytes, channels, width }: PredictedFile,
  seen: SeenPicture | undefined,
): readonly string[] {
  if (bytes === null || seen === undefined) return []
  const pixel = (at: number): readonly number[] => {
    const colours = bytes.slice(at * channels, (at + 1) * channels)
    return channels === 3 ? [...colours, 255] : colours
  }
  for (let at = 0; at < bytes.length / channels; at++) {
    const [wanted, own] = [pixel(at), seen.rgba.slice(at * 4, at * 4 + 4)]
    if (String(wanted) !== String(own)) {
      const where = `${at % width}, ${Math.floor(at / width)}`
      return [`${what} has ${own.join()} at ${where} instead of ${wanted.join()}.`]
    }
  }
  return []
}

/** How many workflows each seed has: together they have each type of node. */
const WORKFLOWS = 5

/** A workflow, and what is wrong with its run. */
type Played = {
  readonly seed: number
  readonly steps: readonly Choices[]
  readonly graph: Graph
  readonly faults: readonly string[]
}

/** The choices for the workflows of a seed. */
function choicesOf(seed: number): readonly (readonly Choices[])[] {
  const { below, shuffled } = createRandom(seed)
  const types = shuffled(nodeForms.map((_, at) => at))
  const choicesFor = (type: number): Choices =>
    Array.from({ length: CHOICES }, (_, at) => (at === 0 ? type : below(0x10000)))
  return Array.from({ length: WORKFLOWS }, (_, workflow) =>
    types.filter((__, at) => at % WORKFLOWS === workflow).map(choicesFor),
  )
}

/** The body of a case: no workflow shows anything but what the model predicts. */
export async function playWorkflows(subject: Subject): Promise<void> {
  const session = await me(subject)
  const has = await nodeTypes(subject)
  let last = 0
  const play = async (seed: number, steps: readonly Choices[]): Promise<Played> => {
    const graph = workflowOf(steps, subject.unique(`generated/${++last}-`), has)
    return { seed, steps, graph, faults: await workflowFaults(subject, session, graph) }
  }
  const first = await subject.once('generated workflows', async () => {
    for (const seed of subject.seeds)
      for (const steps of choicesOf(seed)) {
        const played = await play(seed, steps)
        if (played.faults.length > 0) return played
      }
    return undefined
  })
  if (first === undefined) return
  const smallest = await shrink<Choices, Played>(first, async (steps) => {
    const played = await play(first.seed, steps)
    return played.faults.length > 0 ? played : undefined
  })
  throw new Error(textOf(smallest))
}

const textOf = ({ seed, graph, faults }: Played): string =>
  [
    ...faults.slice(0, 5),
    `The smallest workflow found (--sessions 1 --seed ${seed}): ${JSON.stringify(graph)}`,
  ].join('\n')
