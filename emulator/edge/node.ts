// A world behind Node's sockets: starts one, and gives the tests a handle on its clock.

import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Entry } from '../journal.ts'
import type { Effect, Input } from '../machine.ts'
import { completeOptions, type ServerOptions, usageError } from '../options.ts'
import type * as Pictures from '../pictures/encode.ts'
import type { Picture, PictureFormat, Preview } from '../pictures/picture.ts'
import { refuse } from '../replies.ts'
import { encodeFrame } from '../server/frames.ts'
import { MAX_BODY_BYTES } from '../server/messages.ts'
import { createWorld, type World, type WorldOptions } from '../server/world.ts'
import { answerControl, CONTROL_PREFIX } from './control.ts'
import { createDriver, type Driver } from './driver.ts'
import { hasNoBody, readBody, readHeaders, writeReply } from './http.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { createSockets, type Sockets } from './sockets.ts'

/** Options of `startEmulator`: those of the server, with a free port by default, and an ear for what happens. */
export type EmulatorOptions = Partial<Omit<ServerOptions, 'seed'>> & {
  /** A number is as good as its text. */
  readonly seed?: string | number
  /** Called with each input and its effects, after they have been carried out. */
  readonly onEntry?: (entry: Entry) => void
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
  const { onEntry, ...rest } = given
  const options = completeOptions({ port: 0, ...rest })
  const world = createWorld(worldOptions(options))
  const recorder = await createRecorder(world.options, options.journal)
  const edge = connect(world, options, recorder, onEntry)
  try {
    await listen(edge.server, options)
  } catch (error) {
    recorder.close()
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
      const closed = new Promise((resolve) => edge.server.close(resolve))
      edge.server.closeAllConnections()
      await closed
      recorder.close()
    },
  }
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
    historyLimit: 10_000,
    fileLimit: 10_000,
    uploadLimitBytes: 512 * 2 ** 20,
  }
}

/** The catalogue that comes with the package: two folders up from `dist/emulator/edge/`, in `spec/`. */
const builtIn = new URL('../../../spec/node-types.json', import.meta.url)

function readCatalog(file: string | null): string {
  let text: string
  try {
    text = readFileSync(file ?? builtIn, 'utf8')
  } catch (error) {
    throw usageError(`Cannot read the node types: ${(error as Error).message}`)
  }
  if (file !== null) requireCatalog(file, text)
  return text
}

/** A file of one's own is checked at once, so that the mistake shows before the first request. */
function requireCatalog(file: string, text: string): void {
  const hint = 'Save one with: curl -s http://127.0.0.1:8188/object_info > object_info.json'
  let catalog: unknown
  try {
    catalog = JSON.parse(text)
  } catch {
    throw usageError(`${file} is no JSON. ${hint}`)
  }
  const entries = typeof catalog === 'object' && catalog !== null ? Object.values(catalog) : []
  const isType = (entry: unknown): boolean =>
    typeof entry === 'object' && entry !== null && 'input' in entry
  if (Array.isArray(catalog) || entries.length === 0 || !entries.every(isType)) {
    throw usageError(`${file} is no object of node types. ${hint}`)
  }
}

type Edge = {
  readonly server: ReturnType<typeof createServer>
  readonly driver: Driver
  readonly sockets: Sockets
}

type Codec = typeof Pictures

function connect(
  world: World,
  options: ServerOptions,
  recorder: Recorder,
  onEntry: ((entry: Entry) => void) | undefined,
): Edge {
  const responses = new Map<number, ServerResponse>()
  let lastRequest = 0
  let codec: Codec | undefined

  const carryOut = (input: Input, effects: readonly Effect[]): void => {
    const entry = { input, effects }
    recorder.record(entry)
    for (const effect of effects) if (effect.kind === 'reply') reply(effect)
    sockets.carryOut(effects)
    onEntry?.(entry)
  }
  const driver = createDriver(world, options.clock, carryOut, (work) => sockets.together(work))
  const encodeImage = (image: Picture | Preview, format: PictureFormat): Uint8Array =>
    'step' in image
      ? (codec as Codec).encodePreview(image, format)
      : (codec as Codec).encodePicture(image, format)
  const encodeFile: Codec['encodePicture'] = (...file) => (codec as Codec).encodePicture(...file)
  const sockets = createSockets(driver.dispatch, (content) => encodeFrame(content, encodeImage))

  const reply = (effect: Extract<Effect, { kind: 'reply' }>): void => {
    const response = responses.get(effect.request)
    responses.delete(effect.request)
    const timeMs = world.options.epochMs + world.nowMs
    if (response !== undefined) writeReply(response, effect, timeMs, encodeFile)
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = hasNoBody(request) ? new Uint8Array() : await readBody(request, MAX_BODY_BYTES)
    if (body === null)
      return writeReply(response, tooLarge, world.options.epochMs + world.nowMs, encodeFile)
    // The codecs are loaded by the first request that can lead to a picture, not before the server listens.
    codec ??=
      request.method === 'POST' || request.url?.includes('/view')
        ? await import('../pictures/encode.ts')
        : undefined
    const target = request.url ?? '/'
    if (target.startsWith(CONTROL_PREFIX)) {
      const asked = { method: request.method ?? 'GET', target, body }
      return answerControl(asked, response, clockOf(options, { driver, sockets }), recorder)
    }
    const id = ++lastRequest
    responses.set(id, response)
    const headers = readHeaders(request)
    const method = request.method ?? 'GET'
    driver.dispatch((atMs) => ({
      kind: 'request',
      atMs,
      request: id,
      method,
      target,
      headers,
      body,
    }))
  }

  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      // A client that goes away while it sends is no failure of the server; anything else is a broken assumption.
      if (!request.destroyed || request.complete) throw error
    })
  })
  server.on('upgrade', (request: IncomingMessage, raw: Duplex, head: Buffer) => {
    const path = (request.url ?? '').split('?')[0]
    if (path === '/ws' || path === '/api/ws') void sockets.upgrade(request, raw, head)
    else raw.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  })
  return { server, driver, sockets }
}

const KEEP_ALIVE_MS = 3_630_000

const tooLarge = refuse('bodyTooLarge', { Connection: 'close' }, { limit: `${MAX_BODY_BYTES}` })

function listen(
  server: ReturnType<typeof createServer>,
  { host, port }: ServerOptions,
): Promise<void> {
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
