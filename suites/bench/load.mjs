// Child process: the load. Keep-alive connections on raw sockets, one request under way on each, no HTTP library,
// so that it stays faster than the servers that it loads.

import { connect } from 'node:net'
import { answer } from './child.mjs'
import { nextBody } from './workload.mjs'

const CONNECTIONS = 32

const get = (path) => () => `GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`

const submit = (changed) => () => {
  const body = nextBody(changed)
  const head = `Content-Type: application/json\r\nContent-Length: ${body.length}`
  return `POST /prompt HTTP/1.1\r\nHost: bench\r\n${head}\r\n\r\n${body}`
}

/** Sends one request after the other while `take` says so. */
const drive = (port, request, take) =>
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
      if (!head.startsWith('HTTP/1.1 200')) {
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

const load = async ({ port, count, path, changed }) => {
  const request = path === undefined ? submit(changed) : get(path)
  let left = count
  const take = () => left-- > 0
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: CONNECTIONS }, () => drive(port, request, take)))
  return { seconds: (performance.now() - startedAt) / 1000 }
}

answer(null, { load })
