// Who reads the bytes that a client sends: the HTTP library of the server, or a proxy before it. It answers input that is not
// HTTP itself, while replies to requests can come from behind it with every header.

import { connectTo } from '../../judge/connection/open.ts'

/** The longest time for its answer, in milliseconds. */
const MAX_WAIT_MS = 2000
/** More than any head of such an answer. */
const MAX_ANSWER_BYTES = 65_536

/** The header `Server` of the answer to input that is not HTTP; null without one. */
export async function frontOf(url: string, signal: AbortSignal): Promise<string | null> {
  const head = (await answerTo(url, 'nonsense\r\n\r\n', signal)).split('\r\n\r\n')[0] ?? ''
  const line = /^server: *(.*)$/im.exec(head)
  return line?.[1]?.trim() ?? null
}

/** What comes back for this text, until the connection or the time ends. */
function answerTo(url: string, text: string, signal: AbortSignal): Promise<string> {
  const socket = connectTo(url)
  const late = AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)])
  return new Promise((resolve) => {
    let answer = ''
    const end = (): void => {
      socket.destroy()
      resolve(answer)
    }
    late.addEventListener('abort', end, { once: true })
    socket.on('error', end)
    socket.on('close', end)
    socket.on('data', (bytes: Buffer) => {
      answer += bytes.toString('latin1')
      if (answer.includes('\r\n\r\n') || answer.length > MAX_ANSWER_BYTES) end()
    })
    socket.write(text)
  })
}
