// Child process: the load. Keep-alive connections on raw sockets, one request under way on each, no HTTP library,
// so that it stays faster than the servers that it loads.

import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { answer } from './child.mjs'
import { nextBody, nextEvent } from './workload.mjs'

const CONNECTIONS = 32

/** The head of every request; a hosted server requires a key, and its links use a separate host. */
const headOf = (key, host = 'bench') =>
  `Host: ${host}\r\n${key === undefined ? '' : `X-API-Key: ${key}\r\n`}`

/** Asks for each of several paths in turn, so that no server answers one and the same request from a memory. */
const get = ({ path, paths = [path], key, host }) => {
  const texts = paths.map((one) => `GET ${one} HTTP/1.1\r\n${headOf(key, host)}\r\n`)
  let at = 0
  return () => texts[at++ % texts.length]
}

const submit = ({ path = '/prompt', key, changed }) => {
  const start = `POST ${path} HTTP/1.1\r\n${headOf(key)}Content-Type: application/json\r\n`
  return () => {
    const body = nextBody(changed)
    return `${start}Content-Length: ${body.length}\r\n\r\n${body}`
  }
}

const event =
  ({ secret }) =>
  () => {
    const { body, id } = nextEvent()
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    const own = `X-GitHub-Event: push\r\nX-GitHub-Delivery: ${id}\r\nX-Hub-Signature-256: sha256=${signature}`
    const head = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${own}`
    return `POST /webhooks/hook HTTP/1.1\r\nHost: bench\r\n${head}\r\n\r\n${body}`
  }

/** Sends one request after the other while `take` returns true; each answer must have this status. */
const drive = (port, request, status, take, took) =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let received = Buffer.alloc(0)
    let sentAt = 0
    const send = () => {
      if (!take()) return socket.end()
      const text = request()
      sentAt = performance.now()
      socket.write(text, 'latin1')
    }
    socket.on('connect', send)
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const head = received.latin1Slice(0, headEnd)
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
      if (!head.startsWith(`HTTP/1.1 ${status}`)) {
        socket.destroy()
        reject(new Error(`A request of the load was refused:\n${received.toString()}`))
      }
      if (received.length < headEnd + 4 + length) return
      received = Buffer.alloc(0)
      took.push(performance.now() - sentAt)
      send()
    })
    socket.on('error', reject)
    socket.on('close', resolve)
  })

/** `changed` makes the requests submits, `secret` makes them signed posts to the gateway. */
const load = async ({ port, count, status = 200, ...asked }) => {
  const make = asked.secret !== undefined ? event : asked.changed !== undefined ? submit : get
  const request = make(asked)
  const took = []
  let left = count
  const take = () => left-- > 0
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: CONNECTIONS }, () => drive(port, request, status, take, took)),
  )
  const seconds = (performance.now() - startedAt) / 1000
  return { seconds, p99Ms: took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] }
}

answer(null, { load })
