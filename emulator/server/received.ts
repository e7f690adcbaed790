// What a server has received and sent, read from its journal: requests, socket messages and frames.

import {
  entriesSinceStart,
  type JournalView,
  type Moment,
  type Received,
  type ReceivedRequest,
  type SentFrame,
  type SocketMessage,
} from '../journal/received.ts'
import { momentAt, requestView } from '../journal/received-request.ts'
import type { Effect, Input, RequestHead } from '../machine.ts'
import type { Server } from './state/server.ts'
import { userOf } from './step.ts'
import { readExact } from '../lib/exact-json.ts'

type View = JournalView<Input, Effect>

/** What a reader needs to know about a server. */
type Dated = { readonly options: { readonly epochMs: number } }

/** The requests, oldest first. */
export const requestsOf = (server: Server, view: View): Received<ReceivedRequest> =>
  requestsBy(server, view, (input) => userOf(server, input))

/** The requests to any workflow server; `userOf` says who made one. */
export function requestsBy(
  { options }: Dated,
  view: View,
  userFor: (head: RequestHead) => string | null,
): Received<ReceivedRequest> {
  const { items, complete } = view.requests
  const requests = items.map(({ entry, input, status, run }) => {
    const moment = momentAt(options.epochMs, entry, input.atMs)
    const request = requestView(view.redactInput(input))
    const { target, headers } = input
    const user = userFor({ method: request.method, target, headers })
    // Other replies can begin with the id of a run, too.
    const started = request.method === 'POST' ? run : null
    return Object.assign({}, moment, request, { status, user, run: started })
  })
  return { items: requests, complete }
}

/** The messages of the sockets, oldest first. */
export function messagesOf(server: Dated, view: View): Received<SocketMessage> {
  const { entries, complete } = entriesSinceStart(view)
  const items: SocketMessage[] = []
  for (const [entry, { input, effects }] of entries) {
    const moment = momentAt(server.options.epochMs, entry, input.atMs)
    if (input.kind === 'message')
      items.push(message(moment, 'received', [input.socket], view.redactInput(input)))
    for (const effect of effects) {
      if (effect.kind === 'send')
        items.push(message(moment, 'sent', effect.sockets, view.redactEffect(effect)))
    }
  }
  return { items, complete }
}

function message(
  moment: Moment,
  direction: SocketMessage['direction'],
  sockets: readonly number[],
  redacted: unknown,
): SocketMessage {
  const { text } = redacted as { readonly text: string }
  const { type = null, data = text } = parsed(text)
  const run =
    typeof data === 'object' && data !== null && 'prompt_id' in data ? data.prompt_id : null
  return {
    ...moment,
    direction,
    sockets,
    type: typeof type === 'string' ? type : null,
    data,
    run: typeof run === 'string' ? run : null,
  }
}

function parsed(text: string): { readonly type?: unknown; readonly data?: unknown } {
  try {
    const value = readExact(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** What of a frame is not shown. */
const pictures: ReadonlySet<string> = new Set(['image', 'bytes'])

/** The binary frames, oldest first. */
export function framesOf(server: Dated, view: View): Received<SentFrame> {
  const { entries, complete } = entriesSinceStart(view)
  const items = entries.flatMap(([entry, { input, effects }]) =>
    effects.flatMap((effect) => {
      if (effect.kind !== 'frame') return []
      const { frame, ...fields } = effect.content
      return [
        {
          ...momentAt(server.options.epochMs, entry, input.atMs),
          sockets: effect.sockets,
          frame,
          fields: Object.fromEntries(
            Object.entries(fields).filter(([name]) => !pictures.has(name)),
          ),
        },
      ]
    }),
  )
  return { items, complete }
}
