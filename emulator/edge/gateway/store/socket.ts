// The socket beside a store in a file, through which commands of the same user reach the gateway that owns it.

import { chmodSync, rmSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import { isRefused, refused } from '../../../lib/refused.ts'
import type { AskRuns, RunDetail, RunRow, RunsRequest } from './stored-runs.ts'

/** The longest path of a socket on the systems that have the shortest one, in bytes. */
const MAX_PATH = 103

/** The path of the socket of a store; undefined where it would be too long. */
export function socketPath(store: string): string | undefined {
  const path = `${store}.sock`
  return Buffer.byteLength(path) <= MAX_PATH ? path : undefined
}

/** How long a gateway may take to answer, in milliseconds: one that hangs counts as gone. */
const ANSWER_MS = 15_000

type Answer = readonly RunRow[] | RunDetail

/** What commands ask of a gateway. */
export type SocketAnswers = {
  readonly runs: AskRuns
  /** What is wrong with it now. */
  readonly problems: () => readonly string[]
}

type SocketRequest = RunsRequest | { readonly do: 'problems' }

/** Serves requests at the socket, which only its user reaches. The result ends it. */
export async function serveSocket(
  path: string,
  { runs, problems }: SocketAnswers,
): Promise<() => Promise<void>> {
  // One that was killed leaves it behind, and the lock of the store is held.
  rmSync(path, { force: true })
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const send = (status: number, value: unknown): void => {
        response.writeHead(status, { 'Content-Type': 'application/json' })
        response.end(JSON.stringify(value))
      }
      const work = async (): Promise<unknown> => {
        const request = JSON.parse(Buffer.concat(chunks).toString()) as SocketRequest
        return request.do === 'problems' ? problems() : runs(request)
      }
      work().then(
        (value) => send(200, value),
        (error: unknown) =>
          send(isRefused(error) ? 409 : 500, {
            error: error instanceof Error ? error.message : 'unknown',
          }),
      )
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    rmSync(path, { force: true })
  }
}

/** Asks the gateway behind a socket; undefined if no gateway answers. Throws its refusal. */
export const askGateway = (path: string, asked: RunsRequest): Promise<Answer | undefined> =>
  ask<Answer>(path, asked)

/** What the gateway behind a socket says is wrong; undefined if none answers. */
export const askProblems = (path: string): Promise<readonly string[] | undefined> =>
  ask(path, { do: 'problems' })

const ask = <T>(path: string, asked: SocketRequest): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const call = httpRequest({ socketPath: path, method: 'POST', path: '/' }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const value = JSON.parse(Buffer.concat(chunks).toString()) as T & { error?: string }
        if (response.statusCode === 200) resolve(value)
        else reject(refused(value.error ?? 'The gateway cannot answer.'))
      })
    })
    call.on('error', () => resolve(undefined))
    call.setTimeout(ANSWER_MS, () => call.destroy())
    call.end(JSON.stringify(asked))
  })
