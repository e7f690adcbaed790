// Child process: the least that a webhook gateway can do: check one HMAC over the body and answer.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { answer, childOptions } from './child.mjs'

const { secret } = childOptions()
const accepted = JSON.stringify({ status: 'accepted' })

function isSigned(body, header = '') {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const offered = Buffer.from(header)
  return offered.length === expected.length && timingSafeEqual(offered, expected)
}

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const isRight = isSigned(Buffer.concat(chunks), request.headers['x-hub-signature-256'])
    response.writeHead(isRight ? 202 : 401, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': accepted.length,
    })
    response.end(accepted)
  })
})
server.listen(0, '127.0.0.1', () => answer({ port: server.address().port }))
