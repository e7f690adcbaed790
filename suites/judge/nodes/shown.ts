// What a run has left: texts, pictures and latents of its output nodes, read from the server.

import { decode } from 'fast-png'
import { viewPath } from '../../generate/form.ts'
import { type Graph, node } from '../../generate/graphs.ts'
import { me } from '../own-runs.ts'
import type { Run, Subject } from '../subject.ts'
import { errorOf } from '../failures.ts'

/** A picture as its file has it, four bytes a pixel. */
export type SeenPicture = {
  readonly name: string
  readonly width: number
  readonly height: number
  readonly rgba: readonly number[]
}

type FileEntry = Readonly<Record<'filename' | 'subfolder' | 'type', string>>

/** The pictures of an output node. On hosted a view leads to another address. */
export async function picturesOf(subject: Subject, output: any): Promise<readonly SeenPicture[]> {
  const seen: SeenPicture[] = []
  for (const { filename, subfolder, type } of (output?.images ?? []) as readonly FileEntry[]) {
    const { bytes } = await subject.view({ filename, subfolder, type })
    const { width, height, channels, data } = decode(bytes)
    const rgba = Array.from({ length: width * height * 4 }, (_, at) => {
      const [pixel, channel] = [at >> 2, at & 3]
      if (channel === 3) return channels % 2 === 0 ? data[pixel * channels + channels - 1]! : 255
      return data[pixel * channels + (channels < 3 ? 0 : channel)]!
    })
    seen.push({ name: filename, width, height, rgba })
  }
  return seen
}

/** A tensor of a file as safetensors has it: its shape, and its bytes. */
export async function latentOf(
  subject: Subject,
  output: any,
): Promise<{ readonly shape: readonly number[]; readonly bytes: Uint8Array }> {
  const [{ filename, subfolder, type }] = output.latents as [FileEntry]
  const reply = await (subject.deployment === 'hosted'
    ? subject.view({ filename, subfolder, type })
    : subject.get(viewPath({ filename, subfolder, type })))
  const length = Number(Buffer.from(reply.bytes).readBigUInt64LE(0))
  const header = JSON.parse(Buffer.from(reply.bytes.subarray(8, 8 + length)).toString())
  const { shape, data_offsets } = header.latent_tensor
  const [from, to] = data_offsets.map((offset: number) => 8 + length + offset)
  return { shape, bytes: reply.bytes.subarray(from, to) }
}

/** The exception that ended a run. */
export const exceptionOf = (
  run: Run,
): Readonly<Record<'node_id' | 'exception_type' | 'exception_message', string>> | undefined =>
  errorOf(run)

/** Runs a graph for a client of the case's own. */
export const runOf = async (subject: Subject, graph: Graph): Promise<Run> =>
  subject.run(await me(subject), graph)

/** The error that ends the run of a graph; undefined if none does. */
export const errorIn = async (subject: Subject, graph: Graph): Promise<any> =>
  errorOf(await runOf(subject, graph))

/** What PreviewAny shows of each of these sources, by name, after the run of a graph. */
export async function textsOf(
  subject: Subject,
  graph: Graph,
  sources: Readonly<Record<string, unknown>>,
): Promise<Record<string, string>> {
  const added = Object.entries(sources).map(([id, source]) => [
    `show ${id}`,
    node('PreviewAny', { source }),
  ])
  const { entry } = await runOf(subject, { ...graph, ...Object.fromEntries(added) })
  return Object.fromEntries(
    Object.keys(sources).map((id) => [id, entry.outputs[`show ${id}`]?.text?.[0]]),
  )
}
