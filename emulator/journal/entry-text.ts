// The inputs and effects of a journal in a few words, as `explain` prints them.

export type Value = Readonly<Record<string, unknown>>

/** What came in, in a few words. */
export function inputText({
  kind,
  method,
  target,
  socket,
  request,
  change,
  part,
  do: action,
}: Value): string {
  switch (kind) {
    case 'request':
      return `${String(method)} ${String(target)}`
    case 'open':
      return `handshake of socket ${String(socket)}: ${String(target)}`
    case 'message':
    case 'close':
      return `${kind} of socket ${String(socket)}`
    case 'leave':
      return `the client leaves the stream of request ${String(request)}`
    case 'script':
      return `the scenario changes: ${Object.keys(change as Value).join(', ')}`
    case 'world':
      return `the world: ${String(action)}`
    case 'trim':
      return `memory is short: the oldest ${Math.round(100 * Number(part))} % of history and journal go`
    default:
      return 'time passes'
  }
}

/** What went out, in a few words. */
export function effectText(effect: Value): string {
  const { kind, status, sockets, text, socket, request, prompt_id, state, id, content } = effect
  const to = Array.isArray(sockets) ? ` to socket ${sockets.join(', ')}` : ''
  if (kind === 'reply' || kind === 'refuse') return `${kind} ${String(status)}`
  if (kind === 'send') return `message ${messageOf(text)?.type ?? ''}${to}`
  if (kind === 'frame') return `frame ${String((content as Value)['frame'])}${to}`
  if (kind === 'run') return `run ${String(prompt_id)} ${String(state)}`
  if (kind === 'node')
    return `node ${String(effect['node_id'])} of run ${String(prompt_id)} ${String(state)}`
  if (kind === 'lost') return `lost: ${effectText(effect['message'] as Value)}`
  if (kind === 'fault') return `fault ${String(id)}`
  if (kind === 'answered') return `answered by the scenario`
  if (kind === 'chunk') return `stream of request ${String(request)}: ${eventsIn(text)}`
  return typeof socket === 'number' ? `${String(kind)} of socket ${socket}` : `${String(kind)}${to}`
}

/** The names of the events in a part of a stream. */
function eventsIn(text: unknown): string {
  const names = Array.from(String(text).matchAll(/^event: (\w+)/gm), ([, name]) => name)
  return names.length === 0 ? 'a comment' : names.join(', ')
}

type Message = { readonly type: string; readonly data: Value | undefined }

/** A message of a socket; undefined for other texts. */
export function messageOf(text: unknown): Message | undefined {
  try {
    return JSON.parse(String(text)) as Message
  } catch {
    return undefined
  }
}
