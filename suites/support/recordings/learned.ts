// Plays sessions on worlds with a manual clock, and records what a client saw: the requests with their replies, and the
// messages of one socket with the times of the server's clock.

import type { EmulatorOptions } from 'flowdouble'
import {
  learn,
  type RecordedExchange,
  type RecordedMessage,
  type Recording,
  typesOfWorlds,
} from '../../../dist/emulator/internal.js'
import type { Deployment } from '../../../spec/language.ts'
import { viewPath } from '../../generate/form.ts'
import type { Graph } from '../../generate/graphs.ts'
import { flags, json, recordedWorld, rest } from './recorded-session.ts'

const clientId = 'learner'
const key = 'test-key'

/** A request of a session. `{run}` in a path stands for the id of the latest run. */
export type Step =
  | { readonly submit: Graph; readonly more?: object }
  | { readonly post: string; readonly type: string; readonly body: Uint8Array }
  | { readonly get: string }
  /** Downloads all files that the latest run has put out, or the first so many. */
  | { readonly download: number }

export type Played = {
  readonly recording: Recording
  /** What the server sent to the socket. */
  readonly messages: readonly RecordedMessage[]
  /** The replies: the status, and the body as text or, if it is binary, as base64. */
  readonly replies: readonly (readonly [target: string, status: number, body: string])[]
}

/** Plays a session on a new world. `hasFlags`: the client asks for previews with metadata. */
export async function play(
  options: EmulatorOptions,
  steps: readonly Step[],
  hasFlags = false,
): Promise<Played> {
  const deployment = deploymentOf(options)
  const isHosted = deployment === 'hosted'
  const base = isHosted ? '/api' : ''
  const recording = await recordedWorld(
    { ...options, deployment },
    async (client, world) => {
      let run = ''
      const download = async (count: number): Promise<void> => {
        const path = `${base}${isHosted ? '/history_v2' : '/history'}/${run}`
        const { outputs = {} } = (await client.request('GET', path)).json?.[run] ?? {}
        for (const file of filesOf(outputs as object).slice(0, count)) {
          const { location } = await client.request('GET', base + viewPath(file))
          // A signed link is read without the key.
          if (location !== '') await client.request('GET', location, undefined, {})
        }
      }
      await client.open(isHosted ? `${clientId}&token=${key}` : clientId)
      if (hasFlags) await client.send(0, flags)
      for (const step of steps) {
        if ('submit' in step) {
          const body = json({ prompt: step.submit, client_id: clientId, ...step.more })
          const reply = await client.request('POST', `${base}/prompt`, body)
          run = String(reply.json?.prompt_id ?? run)
          await rest(client, world)
        } else if ('post' in step) {
          const body = { type: step.type, bytes: step.body }
          await client.request('POST', base + step.post, body)
        } else if ('get' in step) await client.request('GET', base + step.get.replace('{run}', run))
        else if (run !== '') await download(step.download)
      }
    },
    isHosted ? { 'X-API-Key': key } : {},
  )
  const [socket] = recording.sockets
  const messages = (socket?.messages ?? []).filter(({ from }) => from === 'server')
  return { recording, messages, replies: recording.exchanges.map(replyOf) }
}

function replyOf({ method, url, response }: RecordedExchange): Played['replies'][number] {
  const { status = 0, headers = [], body = new Uint8Array() } = response ?? {}
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  const text = Buffer.from(body).toString(/json|text/.test(type) ? 'utf8' : 'base64')
  return [`${method} ${new URL(url).pathname}`, status, text]
}

/** The deployment of options; that of a learned scenario stands in its world. */
function deploymentOf({ deployment, scenario }: EmulatorOptions): Deployment {
  const { world } = (scenario ?? {}) as { readonly world?: { readonly deployment?: Deployment } }
  return deployment ?? world?.deployment ?? 'local'
}

const filesOf = (outputs: object): Record<string, string>[] =>
  Object.values(outputs).flatMap((output: object) =>
    Object.values(output)
      .flat()
      .filter((one): one is Record<string, string> => typeof one === 'object'),
  )

/** A new world with what is learned of a session, of the same deployment. */
export const learnedWorld = (...recordings: readonly Recording[]): EmulatorOptions => {
  const { scenario } = learn(recordings, typesOfWorlds(), { from: 'a session' })
  const { deployment } = scenario.world as { readonly deployment: 'local' | 'hosted' }
  return { deployment, scenario }
}

const FRAME_HEAD = 8

/** What two sessions have in common: ids in the order in which they occur, no times, and previews without their pixels. */
export function comparable({ messages, replies }: Played): readonly string[] {
  const ids = new Map<string, string>()
  const idOf = (id: string): string => {
    const known = ids.get(id) ?? `id ${ids.size + 1}`
    ids.set(id, known)
    return known
  }
  const plain = (text: string): string =>
    text
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}|[0-9a-f]{32}/g, idOf)
      .replace(/temp_[a-z]{5}_/g, 'temp_')
      // What a model makes depends on the seed of the world.
      .replace(/tensor\([^)]*\)/g, 'tensor')
      .replace(/"(timestamp|create_time|createTime)": ?\d+/g, '"$1": 0')
      .replace(/"(ram_free|vram_free|torch_vram_\w+)": ?\d+/g, '"$1": 0')
  const started = messages.find(({ data }) => typeof data === 'string' && data.includes('_start"'))
  const seen = messages.map(({ atMs, data }) => {
    const text = typeof data === 'string' ? plain(data) : data.subarray(0, FRAME_HEAD).join(' ')
    return `${Math.round((atMs - (started?.atMs ?? 0)) * 10) / 10} ${text}`
  })
  return [
    ...seen,
    ...replies.map(([target, status, body]) => `${plain(target)} ${status} ${plain(body)}`),
  ]
}

/** The first place where two lists differ, short enough to read; null if they are equal. */
export function difference(first: readonly string[], second: readonly string[]): unknown {
  const at = [...first, ''].findIndex((text, index) => text !== (second[index] ?? ''))
  if (at < 0 || (at === first.length && second.length === at)) return null
  const [one = '', other = ''] = [first[at], second[at]]
  const start =
    Array.from(one, (_, index) => index).find((index) => one[index] !== other[index]) ?? 0
  const part = (text: string): string =>
    text.slice(0, 200) + ' ... ' + text.slice(Math.max(0, start - 60), start + 200)
  return { at, first: part(one), second: part(other) }
}
