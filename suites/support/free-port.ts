// A port for a program that takes its number before it listens.

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Systems give higher ones to connections and to listeners that ask for any: such a port would soon be in use again. */
const [FIRST, LAST] = [20_000, 32_000]

/** A port at which nothing listens at the moment, and that no system picks by itself. */
export async function freePort(): Promise<number> {
  const port = randomInt(FIRST, LAST)
  return (await isFree(port)) ? port : freePort()
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
