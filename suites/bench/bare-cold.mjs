// The least that a process can do before it answers: what a cold start is compared with.

import { createServer } from 'node:http'

const server = createServer((_, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 2 })
  response.end('{}')
})
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }))
})
