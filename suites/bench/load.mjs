// Child process: the load. Keep-alive connections on raw sockets, one request under way on each, no HTTP library,
// so that it stays faster than the servers that it loads.

import { connect } from 'node:net'
import { answer } from './child.mjs'
import { nextBody } from './workload.mjs'

const CONNECTIONS = 32

/** The head that all requests have; a hosted server wants a key. */
const headOf = (key) => `Host: bench\r\n${key === undefined ? '' : `X-API-Key: ${key}\r\n`}`

const get = ({ path, key }) => {
  const text = `GET ${path} HTTP/1.1\r\n${headOf(key)}\r\n`
  return () => text
}

const submit = ({ path = '/prompt', key, changed }) => {
  const start = `POST ${path} HTTP/1.1\r\n${headOf(key)}Content-Type: application/json\r\n`
  return () => {
    const body = nextBody(changed)
    return `${start}Content-Length: ${body.length}\r\n\r\n${body}`
  }
}

/** Sends one request after the other while `take` says so; each is to be answered with this status. */
const drive = (port, request, status, take) =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let received = Buffer.alloc(0)
    const send = () => {
      if (take()) socket.write(request(), 'latin1')
      else socket.end()
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
      send()
    })
    socket.on('error', reject)
    socket.on('close', resolve)
  })

/** `changed` makes it submits. */
const load = async ({ port, count, status = 200, ...asked }) => {
  const request = asked.changed === undefined ? get(asked) : submit(asked)
  let left = count
  const take = () => left-- > 0
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: CONNECTIONS }, () => drive(port, request, status, take)))
  return { seconds: (performance.now() - startedAt) / 1000 }
}

answer(null, { load })
