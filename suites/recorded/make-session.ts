// Makes the recordings of worlds in recordings/sessions/: the same bytes for the same code.

import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { startEmulator, startGateway } from 'flowdouble'
import { WebSocket } from 'ws'
import { readRecording, writeHar } from '../../dist/emulator/internal.js'
import type { Session, Step } from './sessions.ts'

/** The address that clients name: ports differ from one time to the next. */
const host = '127.0.0.1:8188'
const linksHost = 'localhost:8190'
const secret = 'a-secret-of-the-sender'
const boundary = 'recorded-boundary'

/** Sends a request, and resolves to its reply as text. */
function send(
  url: string,
  method: string,
  headers: Readonly<Record<string, string | number>>,
  body: string,
): Promise<{ text: string; location: string | undefined }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers: { host, ...headers } }, (reply) => {
      const parts: Buffer[] = []
      reply.on('data', (part) => parts.push(part))
      reply.on('end', () =>
        resolve({ text: Buffer.concat(parts).toString(), location: reply.headers.location }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** The body of a step with its type. */
function bodyOf({ body, upload, content }: Step): [type: string | undefined, body: string] {
  if (upload !== undefined) {
    const head = `content-disposition: form-data; name="image"; filename="${upload}"`
    const type = `multipart/form-data; boundary=${boundary}`
    return [type, `--${boundary}\r\n${head}\r\n\r\n${content}\r\n--${boundary}--\r\n`]
  }
  if (body === undefined) return [undefined, '']
  return ['application/json', typeof body === 'string' ? body : JSON.stringify(body)]
}

const start = ({ place, options }: Session) =>
  place === 'gateway'
    ? startGateway({
        port: 0,
        clock: 'manual',
        epoch: Date.UTC(2026, 0, 1),
        routes: { ci: { secret, prompt: 'Build {status}', deliver: 'log' } },
      })
    : startEmulator({ port: 0, clock: 'manual', deployment: place, preview: 'jpeg', ...options })

/** The placeholders of secrets have a key of their session: here they are numbered instead, in the same length. */
function numbered(text: string): string {
  const numbers = new Map<string, number>()
  return text.replace(
    /(<|%3C|%3Csecret%3A|<secret:)([0-9a-f]{6,})(>|%3E)/g,
    (_, start: string, digits: string, end: string) => {
      const number = numbers.get(digits) ?? numbers.size + 1
      numbers.set(digits, number)
      return start + String(number).padStart(digits.length, '0') + end
    },
  )
}

/** Plays a session on a new world, and returns its recording as text. */
export async function make(session: Session): Promise<string> {
  const { place, rules, steps } = session
  const server = await start(session)
  const signedUrl = 'signedUrl' in server ? (server.signedUrl ?? '') : ''
  const prefix = place === 'hosted' ? '/api' : ''
  let [run, file, link] = ['', '', '']
  let socket: WebSocket | undefined
  const play = async (step: Step): Promise<void> => {
    if (step.until !== undefined) await server.until(step.until as 'idle')
    else if (step.socket !== undefined) {
      const token = place === 'hosted' ? '&token=test-key' : ''
      const url = `${server.url.replace('http', 'ws')}/ws?clientId=${step.socket}${token}`
      socket = new WebSocket(url, { headers: { host } })
      await once(socket, 'open')
    } else if (step.link !== undefined) {
      // The link names the address that its signature is for, which is not that of this server.
      const { pathname, search } = new URL(link)
      await send(
        signedUrl.replace(/\/$/, '') + pathname + search,
        'GET',
        { host: new URL(link).host },
        '',
      )
    } else if (step.say !== undefined) {
      socket?.send(JSON.stringify(step.say))
      socket?.ping()
      if (socket) await once(socket, 'pong')
    } else {
      const [type, body] = bodyOf(step)
      const path = (step.path ?? '/upload/image').replace('{run}', run).replace('{file}', file)
      const { key = 'test-key' } = step
      const signature = createHmac('sha256', secret).update(body).digest('hex')
      const headers = {
        ...(type !== undefined && {
          'content-type': type,
          'content-length': Buffer.byteLength(body),
        }),
        ...(place === 'hosted' && key !== null && { 'x-api-key': key }),
        ...(step.id !== undefined && { 'x-request-id': step.id }),
        ...(place === 'gateway' && type !== undefined && { 'x-webhook-signature': signature }),
      }
      const method = step.method ?? 'POST'
      const { text, location } = await send(server.url + prefix + path, method, headers, body)
      run = /"prompt_id": ?"([^"]+)"/.exec(text)?.[1] ?? run
      file = /"filename": ?"([^"]+)"/.exec(text)?.[1] ?? file
      link = location ?? link
    }
  }
  try {
    for (const step of steps) await play(step)
    const { info, ...rest } = readRecording(await server.recording(), 'a world')
    const text = numbered(writeHar({ ...rest, info: info && { ...info, rules } }))
    return signedUrl === '' ? text : text.replaceAll(new URL(signedUrl).host, linksHost)
  } finally {
    socket?.terminate()
    await server.close()
  }
}
