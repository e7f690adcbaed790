// Makes long sessions: the same many times, one after the other, or a burst of runs.

import type {
  RecordedExchange,
  RecordedMessage,
  Recording,
} from '../../../dist/emulator/internal.js'

type Recorded = NonNullable<RecordedExchange['response']>

const isText = ({ headers }: Recorded): boolean =>
  headers.some(([name, value]) => name === 'content-type' && value.startsWith('application/json'))

/** A session many times, one after the other, each with separate ids and times. */
export function repeated(recording: Recording, times: number): Recording {
  const lastMs = recording.exchanges.at(-1)?.endMs ?? 0
  const firstMs = recording.exchanges[0]?.startMs ?? 0
  const text = (data: string, at: number): string =>
    data.replaceAll(
      /([0-9a-f]{8})-([0-9a-f]{4}-){3}/g,
      (id) => `${String(at).padStart(8, '0')}${id.slice(8)}`,
    )
  const bytes = (body: Uint8Array, at: number): Uint8Array =>
    new TextEncoder().encode(text(new TextDecoder().decode(body), at))
  const copies = Array.from({ length: times }, (_, at) => {
    const by = at * (lastMs - firstMs + 100_000)
    return {
      exchanges: recording.exchanges.map((one) => ({
        ...one,
        url: text(one.url, at),
        startMs: one.startMs + by,
        endMs: one.endMs + by,
        response: one.response && {
          ...one.response,
          body: isText(one.response) ? bytes(one.response.body, at) : one.response.body,
        },
      })),
      sockets: recording.sockets.map((one) => ({
        ...one,
        openMs: one.openMs + by,
        messages: one.messages.map((message) => ({
          ...message,
          atMs: message.atMs + by,
          data: typeof message.data === 'string' ? text(message.data, at) : message.data,
        })),
      })),
    }
  })
  return {
    info: recording.info,
    exchanges: copies.flatMap(({ exchanges }) => exchanges),
    sockets: copies.flatMap(({ sockets }) => sockets),
  }
}

const jsonBytes = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
const idOf = (run: number): string => `00000000-0000-4000-8000-${String(run).padStart(12, '0')}`

/** A burst of runs of one client, which listens from before the first submit. */
export function burst(count: number): Recording {
  const messages: RecordedMessage[] = []
  let atMs = 1_767_225_600_000
  const receive = (type: string, data: object): void => {
    messages.push({ from: 'server', atMs: ++atMs, data: JSON.stringify({ type, data }) })
  }
  const status = (queue_remaining: number, more: object = {}): void =>
    receive('status', { status: { exec_info: { queue_remaining } }, ...more })
  const openMs = atMs
  status(0, { sid: 'me' })
  const exchanges = Array.from({ length: count }, (_, run) => {
    const startMs = ++atMs
    status(run + 1)
    return {
      entry: run + 1,
      startMs,
      endMs: ++atMs,
      method: 'POST',
      url: 'http://localhost:8188/prompt',
      headers: [],
      body: jsonBytes({ prompt: {}, client_id: 'me' }),
      response: {
        status: 200,
        headers: [['content-type', 'application/json; charset=utf-8'] as const],
        body: jsonBytes({ prompt_id: idOf(run), number: run, node_errors: {} }),
      },
    }
  })
  for (let run = 0; run < count; run++) {
    const prompt_id = idOf(run)
    status(count - run)
    receive('execution_start', { prompt_id, timestamp: atMs })
    receive('execution_cached', { nodes: [], prompt_id, timestamp: atMs })
    receive('execution_success', { prompt_id, timestamp: atMs })
    status(count - run - 1)
    receive('executing', { node: null, prompt_id })
  }
  const url = 'ws://localhost:8188/ws?clientId=me'
  const info = { version: 1, origin: 'a synthetic session', place: 'local' } as const
  const socket = { entry: 0, openMs, url, headers: [], messages, close: null }
  return { info, exchanges, sockets: [socket] }
}
