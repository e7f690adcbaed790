// Plays a generated workflow on a server, and compares all that it shows with what the model predicts.

import type { Graph } from '../../generate/graphs.ts'
import {
  predict,
  type Prediction,
  type PredictedFile,
  type Shown,
} from '../../model/nodes/predict.ts'
import type { Session } from '../client.ts'
import type { Run, Subject } from '../subject.ts'
import { exceptionOf, latentOf, picturesOf, type SeenPicture } from './shown.ts'

/** What is wrong with the run of a workflow, as sentences. */
export async function workflowFaults(
  subject: Subject,
  session: Session,
  graph: Graph,
): Promise<readonly string[]> {
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
