// How two servers are compared: taking turns, in alternating order, and by medians.

/** @typedef {{ seconds: number }} Timed */

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * Takes both costs in turns. The ratio is that of two neighbours in time, so that a machine that gets slower
 * in between slows both.
 * @param {number} rounds
 * @param {() => Promise<number>} ours
 * @param {() => Promise<number>} theirs
 * @returns {Promise<{ ours: number, theirs: number, ratio: number }>} medians; `ratio` is ours over theirs
 */
export async function compare(rounds, ours, theirs) {
  const taken = { ours: [], theirs: [] }
  for (let round = 0; round < rounds; round++) {
    const turns = [
      async () => taken.ours.push(await ours()),
      async () => taken.theirs.push(await theirs()),
    ]
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn()
  }
  return {
    ours: median(taken.ours),
    theirs: median(taken.theirs),
    ratio: median(taken.ours.map((cost, round) => cost / taken.theirs[round])),
  }
}

/**
 * Processor time of a server for one request of a load, in microseconds.
 * @param {import('./child.mjs').Child} server
 * @param {import('./child.mjs').Child} load
 */
export async function costOf(server, load, { port = server.ready.port, count, ...request }) {
  const before = await server.cpuSeconds()
  await load.ask('load', { port, count, ...request })
  return (((await server.cpuSeconds()) - before) / count) * 1e6
}

export const us = (value) => `${value.toFixed(value < 100 ? 1 : 0)} us`
export const ms = (value) => `${value.toFixed(0)} ms`
export const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`
