// Child process: the least that a server can do for a GET of constant JSON and for a submit that it remembers.

import { createServer } from 'node:http'
import { answer, childOptions } from './child.mjs'

const MAX_ENTRIES = 10_000

const { bytes = 2 } = childOptions()
const constant = Buffer.from(JSON.stringify('x'.repeat(bytes - 2)))
const entries = new Map()
/** Ids in a ring: asking a Map for its oldest key is slow after many deletions. */
const ids = Array.from({ length: MAX_ENTRIES })
let count = 0

function keep(body) {
  const prompt_id = `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`
  const slot = count % MAX_ENTRIES
  if (count >= MAX_ENTRIES) entries.delete(ids[slot])
  ids[slot] = prompt_id
  entries.set(prompt_id, body)
  return JSON.stringify({ prompt_id, number: count++, node_errors: {} })
}

function reply(response, body) {
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
}

const server = createServer((request, response) => {
  if (request.method === 'GET') return reply(response, constant)
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => reply(response, keep(JSON.parse(Buffer.concat(chunks).toString()))))
})
server.listen(0, '127.0.0.1', () => answer({ port: server.address().port }))
