// Plays sessions on worlds with a manual clock, and records what a client saw: the requests with their replies, and the
// messages of one socket with the times of the server's clock.

import { once } from 'node:events'
import { type EmulatorOptions, type Entry, startEmulator } from 'flowdouble'
import { WebSocket } from 'ws'
import {
  learn,
  type RecordedExchange,
  type RecordedMessage,
  type Recording,
  typesOfWorlds,
} from '../../dist/emulator/internal.js'
import type { Graph } from '../generate/graphs.ts'

/** A request of a session. `{run}` in a path stands for the id of the latest run. */
export type Step =
  | { readonly submit: Graph; readonly more?: object }
  | { readonly post: string; readonly type: string; readonly body: Uint8Array }
  | { readonly get: string }
  /** Downloads all files that the latest run has put out, or the first so many. */
  | { readonly download: number }

/** A message as it was seen: when, and its text or, of a frame, its bytes. */
export type Seen = { readonly atMs: number; readonly data: string | Uint8Array }

export type Played = {
  readonly recording: Recording
  readonly messages: readonly Seen[]
  /** The replies: the status, and the body as text or, if it is binary, as base64. */
  readonly replies: readonly (readonly [target: string, status: number, body: string])[]
}

const epochMs = Date.UTC(2026, 0, 1)
const clientId = 'learner'
const key = 'test-key'

/** Plays a session on a new world. `hasFlags`: the client asks for previews with metadata. */
export async function play(
  options: EmulatorOptions,
  steps: readonly Step[],
  hasFlags = false,
): Promise<Played> {
  const isHosted = deploymentOf(options) === 'hosted'
  const prefix = isHosted ? '/api' : ''
  const sentMs: number[] = []
  let nowMs = 0
  const onEntry = ({ input, effects }: Entry): void => {
    nowMs = Math.max(nowMs, input.atMs)
    for (const effect of effects)
      if (effect.kind === 'send' || effect.kind === 'frame') sentMs.push(nowMs)
  }
  const emulator = await startEmulator({ port: 0, clock: 'manual', ...options, onEntry })
  const address = `${emulator.url.replace('http', 'ws')}/ws?clientId=${clientId}`
  const socketUrl = isHosted ? `${address}&token=${key}` : address
  const socket = new WebSocket(socketUrl)
  const received: (string | Uint8Array)[] = []
  socket.on('message', (data: Buffer, isBinary) => {
    received.push(isBinary ? new Uint8Array(data) : data.toString())
  })
  const arrived = async (): Promise<void> => {
    while (received.length < sentMs.length) await once(socket, 'message')
  }
  const exchanges: RecordedExchange[] = []
  const replies: Played['replies'][number][] = []
  const headers: Record<string, string> = isHosted ? { 'x-api-key': key } : {}

  const ask = async (
    method: string,
    url: string,
    body: string | Uint8Array = '',
    isLink = false,
    type = 'application/json',
  ): Promise<string> => {
    const startMs = epochMs + nowMs
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: isLink ? {} : { ...headers, 'content-type': type },
      ...(body.length > 0 && { body }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const isText = /json|text/.test(response.headers.get('content-type') ?? '')
    const text = bytes.toString(isText ? 'utf8' : 'base64')
    // The body of a redirect to a signed link is empty: the link is read next.
    replies.push([`${method} ${new URL(url).pathname}`, response.status, text])
    exchanges.push({
      entry: exchanges.length,
      startMs,
      endMs: epochMs + nowMs,
      method,
      url,
      headers: isLink ? [] : Object.entries(headers),
      body: Buffer.from(body as string),
      response: { status: response.status, headers: [...response.headers], body: bytes },
    })
    const location = response.headers.get('location')
    return response.status === 302 && location !== null
      ? ask('GET', new URL(location, url).href, '', true)
      : text
  }
  let run = ''
  const send = async (step: Step): Promise<void> => {
    const base = emulator.url + prefix
    if ('submit' in step) {
      const body = JSON.stringify({ prompt: step.submit, client_id: clientId, ...step.more })
      const reply = await ask('POST', `${base}/prompt`, body)
      run = String(jsonOf(reply)?.['prompt_id'] ?? run)
      await emulator.until('idle')
      await arrived()
    } else if ('post' in step) await ask('POST', base + step.post, step.body, false, step.type)
    else if ('get' in step) await ask('GET', base + step.get.replace('{run}', run))
    else if (run !== '') {
      const history = isHosted ? '/history_v2' : '/history'
      const entry = jsonOf(await ask('GET', `${base}${history}/${run}`))?.[run]
      for (const file of filesOf(entry?.outputs ?? {}).slice(0, step.download))
        await ask('GET', `${base}/view?${new URLSearchParams(file).toString()}`)
    }
  }
  try {
    await once(socket, 'open')
    await arrived()
    if (hasFlags) {
      const data = { supports_preview_metadata: true }
      socket.send(JSON.stringify({ type: 'feature_flags', data }))
      socket.ping()
      await once(socket, 'pong')
    }
    for (const step of steps) await send(step)
    await arrived()
    const messages = received.map((data, at): Seen => ({ atMs: sentMs[at] ?? NaN, data }))
    const place = isHosted ? 'hosted' : 'local'
    return {
      messages,
      replies,
      recording: {
        info: { version: 1, origin: 'a world of flowdouble', place },
        exchanges,
        sockets: [
          {
            entry: exchanges.length,
            openMs: epochMs,
            url: socketUrl,
            headers: [],
            messages: messages.map(({ atMs, data }): RecordedMessage => ({
              from: 'server',
              atMs: epochMs + atMs,
              data,
            })),
            close: null,
          },
        ],
      },
    }
  } finally {
    socket.terminate()
    await emulator.close()
  }
}

/** The deployment of options; that of a learned scenario stands in its world. */
function deploymentOf({ deployment, scenario }: EmulatorOptions): string {
  const { world } = (scenario ?? {}) as { readonly world?: { readonly deployment?: string } }
  return deployment ?? world?.deployment ?? 'local'
}

const jsonOf = (text: string): any => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
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
