// Asks a worker: sends it a control request as its parent, with the control token, and returns its answer.

import { type OutgoingHttpHeaders, request, type RequestOptions } from 'node:http'
import { CONTROL_PREFIX, type ControlReply, refusal } from '../../edge/control.ts'
import type { Worker } from './worker.ts'

/** Sends a control request to a worker; the target is the path below the prefix. */
export type Ask = (
  worker: Worker,
  method: string,
  target: string,
  body?: Uint8Array,
) => Promise<ControlReply>

/** Where to connect to what listens on all addresses. */
const reachable: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** @param host the address at which workers listen. */
export const askerOf =
  (host: string, token: string | null): Ask =>
  async (worker, method, target, body) => {
    const { port } = worker.addresses() ?? {}
    if (port === undefined) return down(worker)
    const headers: OutgoingHttpHeaders = {
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Length': body.length }),
    }
    const path = CONTROL_PREFIX + target
    const to = { host: reachable[host] ?? host, port, method, path, headers }
    // It can end at any moment.
    return exchange(to, body).catch(() => down(worker))
  }

/** While a worker starts again, its worlds are not there [shared/workers-restart]. */
const down = ({ number }: Worker): ControlReply => ({
  ...refusal(503, `Worker ${number} is starting again. Try again soon.`),
  headers: { 'Retry-After': '1' },
})

const exchange = (to: RequestOptions, body: Uint8Array | undefined): Promise<ControlReply> =>
  new Promise((resolve, reject) => {
    const sent = request(to, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 502,
          type: response.headers['content-type'] ?? 'application/octet-stream',
          body: new Uint8Array(Buffer.concat(chunks)),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
