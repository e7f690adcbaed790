// A world behind Node's sockets: starts one, and gives the tests a handle on its clock.

import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { limits } from '../../spec/limits.ts'
import type { Entry } from '../journal.ts'
import type { Effect, Input } from '../machine.ts'
import { completeOptions, type ServerOptions, usageError } from '../options.ts'
import type * as Pictures from '../pictures/encode.ts'
import type { Picture, PictureFormat, Preview } from '../pictures/picture.ts'
import type { Reply } from '../replies.ts'
import { guard } from '../server/access.ts'
import { maxBodyBytes } from '../server/features.ts'
import { encodeFrame } from '../server/frames.ts'
import { corsHeaders, finish } from '../server/headers.ts'
import { createWorld, type World, type WorldOptions } from '../server/world.ts'
import { readCatalog } from './catalog.ts'
import { answerControl, CONTROL_PREFIX } from './control.ts'
import { createDriver, type Driver, type Tamper } from './driver.ts'
import { writeReply } from './http.ts'
import { type Arrived, createListener } from './listener.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { createSockets, type Sockets } from './sockets.ts'

/** Options of `startEmulator`: those of the server, with a free port by default, and an ear for what happens. */
export type EmulatorOptions = Partial<Omit<ServerOptions, 'seed'>> & {
  /** A number is as good as its text. */
  readonly seed?: string | number
  /** Called with each input and its effects, after they have been carried out. */
  readonly onEntry?: (entry: Entry) => void
  /** For suites only: makes a deliberately wrong server, to show that a case catches it. */
  readonly tamper?: Tamper
}

/** A running server. */
export type Emulator = {
  /** Base address, such as `http://127.0.0.1:8188`. */
  readonly url: string
  readonly port: number
  readonly options: ServerOptions
  /** Moves a manual clock on by so many milliseconds. Resolves when all effects are on the wire. */
  readonly advance: (byMs: number) => Promise<void>
  /**
   * Moves a manual clock until an effect matches, or with `idle` until nothing is due. Resolves when all effects are
   * on the wire. Throws when nothing is due any more and no effect has matched.
   */
  readonly until: (what: 'idle' | ((effect: Effect) => boolean)) => Promise<void>
  /** The latest entries of the journal as lines of JSON, after a line that tells the options of the world. */
  readonly journal: () => Promise<readonly string[]>
  /** Stops listening and closes all connections. */
  readonly close: () => Promise<void>
}

/** Time between the answer to a submit and the first message of its run, in milliseconds. */
const START_DELAY_MS = 25

/**
 * Starts a server and resolves when it listens.
 * Throws a usage error for options that cannot be used, and the system's error when the address is taken.
 */
export async function startEmulator(given: EmulatorOptions = {}): Promise<Emulator> {
  const { onEntry, tamper, ...rest } = given
  const options = completeOptions({ port: 0, ...rest })
  const world = createWorld(worldOptions(options))
  const recorder = await createRecorder(world.options, options.journal)
  const edge = connect(world, options, recorder, { onEntry, tamper })
  const connections = new Set<Socket>()
  edge.server.on('connection', (raw: Socket) => {
    connections.add(raw)
    raw.once('close', () => connections.delete(raw))
  })
  await listen(edge.server, options)
  try {
    recorder.open()
  } catch (error) {
    edge.server.close()
    throw error
  }
  const { port } = edge.server.address() as AddressInfo
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return {
    url: `http://${host}:${port}`,
    port,
    options,
    ...clockOf(options, edge),
    journal: () => recorder.lines(),
    close: async () => {
      edge.driver.stop()
      edge.sockets.closeAll()
      await closeServer(edge.server, connections)
      recorder.close()
    },
  }
}

/** A client that keeps its side of a connection open is given so long to end it, in milliseconds. */
const MAX_GOODBYE_MS = 500

async function closeServer(server: Server, connections: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  const timer = setTimeout(() => connections.forEach((raw) => raw.destroy()), MAX_GOODBYE_MS)
  await closed
  clearTimeout(timer)
}

function worldOptions(options: ServerOptions): WorldOptions {
  return {
    seed: options.seed,
    epochMs: options.epoch === 'now' ? Date.now() : options.epoch,
    paceMs: options.pace,
    startDelayMs: START_DELAY_MS,
    preview: options.preview,
    objectInfo: readCatalog(options.objectInfo),
    models: options.models,
    unknownNodes: options.unknownNodes,
    quirks: options.quirk,
    historyLimit: limits.history.value,
    fileLimit: 10_000,
    uploadLimitBytes: 512 * 2 ** 20,
    pendingLimitBytes: limits.pending.value,
    maxBody: options.maxBody,
    cors: options.cors,
    token: options.token,
    manager: options.manager,
  }
}

type Edge = {
  readonly server: Server
  readonly driver: Driver
  readonly sockets: Sockets
}

/** What a caller hangs into the path of inputs and effects. */
type Hooks = {
  readonly onEntry: EmulatorOptions['onEntry'] | undefined
  readonly tamper: Tamper | undefined
}

type Codec = typeof Pictures

function connect(
  world: World,
  options: ServerOptions,
  recorder: Recorder,
  { onEntry, tamper }: Hooks,
): Edge {
  const responses = new Map<number, ServerResponse>()
  let lastRequest = 0
  let codec: Codec | undefined
  let loading: Promise<Codec> | undefined

  const carryOut = (input: Input, effects: readonly Effect[]): void => {
    const entry = { input, effects }
    recorder.record(entry)
    for (const effect of effects) if (effect.kind === 'reply') reply(effect)
    sockets.carryOut(effects)
    onEntry?.(entry)
  }
  const together = (work: () => void): void => sockets.together(work)
  const driver = createDriver(world, options.clock, carryOut, together, tamper)
  const encodeImage = (image: Picture | Preview, format: PictureFormat): Uint8Array =>
    'step' in image
      ? (codec as Codec).encodePreview(image, format)
      : (codec as Codec).encodePicture(image, format)
  const encodeFile: Codec['encodeFile'] = (file) => (codec as Codec).encodeFile(file)
  const timeMs = (): number => world.options.epochMs + world.nowMs
  const sockets = createSockets({
    dispatch: driver.dispatch,
    encode: (content) => encodeFrame(content, encodeImage),
    timeMs,
    readsCredentials: world.options.token !== null,
    compresses: options.wsCompress,
  })

  const reply = (effect: Extract<Effect, { kind: 'reply' }>): void => {
    const response = responses.get(effect.request)
    responses.delete(effect.request)
    if (response !== undefined) writeReply(response, effect, timeMs(), encodeFile)
  }
  const write = (response: ServerResponse, found: Reply): void =>
    writeReply(response, found, timeMs(), encodeFile)

  const answer = async (arrived: Arrived, response: ServerResponse): Promise<void> => {
    const { method, target, headers } = arrived
    // The codecs are loaded by the first request that can lead to a picture, not before the server listens.
    // Those that come meanwhile wait too: no request overtakes another.
    if (method === 'POST' || target.includes('/view')) loading ??= import('../pictures/encode.ts')
    if (codec === undefined && loading !== undefined) codec = await loading
    if (target.startsWith(CONTROL_PREFIX) && method !== 'OPTIONS') {
      const refusal = guard(world, arrived)
      if (refusal) return write(response, finish(world, target, headers['accept'], refusal))
      const clock = clockOf(options, { driver, sockets })
      return answerControl(arrived, response, clock, recorder, corsHeaders(options.cors))
    }
    const request = ++lastRequest
    responses.set(request, response)
    driver.dispatch((atMs) => ({ kind: 'request', atMs, request, ...arrived }))
  }

  const server = createListener({
    readsCredentials: world.options.token !== null,
    limitBytes: (asked) => (guard(world, asked) ? 0 : maxBodyBytes(options.maxBody)),
    answer,
    write,
    timeMs,
    upgrade: sockets.upgrade,
  })
  return { server, driver, sockets }
}

function listen(server: Server, { host, port }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function clockOf(
  options: ServerOptions,
  { driver, sockets }: Pick<Edge, 'driver' | 'sockets'>,
): Pick<Emulator, 'advance' | 'until'> {
  const requireManual = (): void => {
    if (options.clock === 'manual') return
    throw usageError(
      `The clock is ${options.clock}: it moves by itself. Start with clock: 'manual' to move it.`,
    )
  }
  return {
    advance: async (byMs) => {
      requireManual()
      if (!Number.isFinite(byMs) || byMs < 0)
        throw usageError(`Time cannot move by ${byMs} milliseconds.`)
      driver.advance(byMs)
      await sockets.flushed()
    },
    until: async (what) => {
      requireManual()
      const matched = driver.advanceUntil(what === 'idle' ? () => false : what)
      await sockets.flushed()
      if (what !== 'idle' && !matched) {
        throw usageError(
          'Nothing is due any more, and no effect has matched. Was the workflow submitted?',
        )
      }
    },
  }
}
