// A port for a program that takes its number before it listens.

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Systems give higher ones to connections and to listeners that ask for any: such a port would soon be in use again. */
const [FIRST, LAST] = [20_000, 32_000]

/** The first of so many ports in a row at which nothing listens at the moment, and that no system picks by itself. */
export async function freePort(count = 1): Promise<number> {
  const first = randomInt(FIRST, LAST)
  const row = Array.from({ length: count }, (_, at) => first + at)
  const areFree = await Promise.all(row.map(isFree))
  return areFree.every(Boolean) ? first : freePort(count)
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
