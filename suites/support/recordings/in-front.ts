// Replays in front of a server, and runs as clients see them.

import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { type Emulator, startEmulator } from 'flowdouble'
import { WebSocket } from 'ws'
import { readRecording, replayCommand } from '../../../dist/emulator/internal.js'
import { type Graph, textToImage } from '../../generate/graphs.ts'
import { forTest } from '../for-test.ts'
import { type Output, running } from '../in-process.ts'
import { recorded } from './recording.ts'

/** Worlds of different seeds paint different pictures, and name their runs differently. */
export const worldOf = (seed: string): Promise<Emulator> =>
  forTest(startEmulator({ clock: 'instant', seed }))

/** Replays a file in front of a server while a session takes place. */
export async function inFront(
  file: string,
  upstream: string,
  session: (url: string) => Promise<void>,
  ...flags: readonly string[]
): Promise<Output> {
  const argv = [file, '--upstream', upstream, '--port', '0', '--clock', 'instant', ...flags]
  const { said, stop } = await running(replayCommand, argv)
  try {
    await session(/http:\/\/[\d.]+:\d+/.exec(said())![0])
  } catch (error) {
    await stop()
    throw error
  }
  return stop()
}

export type Run = {
  readonly id: string
  /** The messages that a client received, those of frames by their length. */
  readonly got: readonly string[]
  readonly history: any
  readonly picture: Buffer
}

/** A run as a client sees it, from its socket to its file. */
export async function run(url: string, prompt: Graph, clientId = 'me'): Promise<Run> {
  const got: string[] = []
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?clientId=${clientId}`)
  const over = new Promise<void>((resolve) =>
    socket.on('message', (data: Buffer, isBinary) => {
      got.push(isBinary ? `frame ${data.length}` : data.toString())
      if (!isBinary && data.includes('"execution_success"')) resolve()
    }),
  )
  await once(socket, 'open')
  const body = JSON.stringify({ prompt, client_id: clientId })
  const reply = await fetch(`${url}/prompt`, { method: 'POST', body })
  const { prompt_id: id } = (await reply.json()) as { prompt_id: string }
  await over
  const history: any = await (await fetch(`${url}/history/${id}`)).json()
  const [{ filename }] = Object.values<any>(history[id].outputs).flatMap(({ images }) => images)
  const view = await fetch(`${url}/view?filename=${filename}&type=output`)
  socket.close()
  await once(socket, 'close')
  return { id, got, history, picture: Buffer.from(await view.arrayBuffer()) }
}

/** Two workflows whose files have the same name. */
export const known = textToImage(1)
export const unknown = textToImage(2)

/** A recording of the first one on a world of this seed, and what its client saw. */
export async function sessionOf(
  seed: string,
): Promise<{ readonly file: string; readonly first: Run }> {
  let first: Run | undefined
  const { file } = await recorded((await worldOf(seed)).url, async (url) => {
    first = await run(url, known)
  })
  return { file, first: first! }
}

/** The requests of a recording. */
export const targets = (file: string): readonly string[] =>
  readRecording(readFileSync(file), file).exchanges.map(({ method, url }) => {
    const { pathname, search } = new URL(url)
    return `${method} ${pathname}${search}`
  })
