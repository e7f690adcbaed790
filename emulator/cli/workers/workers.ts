// `serve --workers N`: N processes that serve worlds, each at its own port, and one address that creates worlds in all of them.

import type { Readable } from 'node:stream'
import type { ServerOptions } from '../../options/server-options.ts'
import type { CommandIo } from '../lib/io.ts'
import { type ReadyFile, readyFile } from '../lib/ready-file.ts'
import { untilAborted, untilEnded } from '../lib/until-stopped.ts'
import { type Address, openAddress, serveAdmin } from './admin.ts'
import { type Launch, type PassedFlags, workerLaunch } from './command.ts'
import { addressesOf, banner } from './display.ts'
import {
  createStateFolder,
  type GivenFlags,
  optionsForWorkers,
  placesOf,
  workerCount,
  type WorkerPlace,
} from './fit.ts'
import { startWorker, type Worker } from './worker.ts'

/** The flags of `serve` that are used here. */
export type WorkersFlags = GivenFlags &
  PassedFlags & {
    readonly json: boolean
    readonly readyFile?: string
    readonly stopWithStdin: boolean
  }

/**
 * Runs the command; resolves to its exit code after all workers have ended. Throws a usage error for what does not fit.
 * @param planned the options of each server that the flags would start.
 */
export async function serveWorkers(
  text: string,
  planned: readonly ServerOptions[],
  flags: WorkersFlags,
  io: CommandIo,
): Promise<number> {
  const count = workerCount(text)
  const options = optionsForWorkers(planned, flags)
  const places = placesOf(options, count)
  if (options.state !== null) createStateFolder(options.state, count)
  const all: Worker[] = []
  let [ready, address, input]: [ReadyFile?, Address?, Readable?] = []
  const note = (line: string): void => void io.stderr.write(`flowdouble: ${line}\n`)
  try {
    if (flags.readyFile !== undefined) ready = await readyFile(flags.readyFile, io.cwd)
    const stops = [untilAborted(io.signal)]
    if (flags.stopWithStdin && io.stdin) stops.push(untilEnded((input = io.stdin())))
    const stopped = Promise.race(stops)
    // First, since nothing has to be started if it is in use.
    const opened = (address = await openAddress(options))
    const launchAt =
      (place: WorkerPlace) =>
      (port: number): Launch =>
        workerLaunch(flags, io, { ...place, port })
    let isReady = false
    const changed = (): void => {
      // It has the number of each process.
      if (isReady) ready?.write(addressesOf(opened, all))
    }
    for (const [at, place] of places.entries())
      all.push(startWorker(at + 1, place.port, launchAt(place), note, changed))
    const listening = Promise.all(all.map(({ started }) => started))
    const code = await Promise.race([listening.then(() => undefined), stopped])
    if (code !== undefined) return code
    const baseOf = ({ number, lastAddresses }: Worker): string =>
      places[number - 1]?.publicUrl ?? lastAddresses()?.url ?? ''
    const workers = { all, baseOf }
    serveAdmin(opened, options, workers)
    isReady = true
    changed()
    if (flags.json) io.stdout.write(`${JSON.stringify(addressesOf(opened, all))}\n`)
    else if (!flags.quiet) io.stdout.write(banner(opened, workers, options.worldTokens, io))
    return await stopped
  } finally {
    input?.destroy()
    // Before the address closes, so that no program finds one that is closing.
    ready?.remove()
    await Promise.all([address?.close(), ...all.map((worker) => worker.stop())])
  }
}
