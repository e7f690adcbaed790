// Connects the parts of an edge: requests and sockets go through the driver into the server, its effects come back out.

import type { Server as HttpServer, ServerResponse } from 'node:http'
import type { Entry } from '../journal.ts'
import type { Effect, Input } from '../machine.ts'
import type { ServerOptions } from '../options.ts'
import type * as Pictures from '../pictures/encode.ts'
import type { Picture, PictureFormat, Preview } from '../pictures/picture.ts'
import { type Reply, refuse } from '../replies.ts'
import { admit } from '../server/access.ts'
import { encodeFrame } from '../server/frames.ts'
import { corsHeaders, finish } from '../server/headers.ts'
import { maxBodyBytes } from '../server/features.ts'
import type { Server } from '../server/server.ts'
import { nextWakeMs, step } from '../server/step.ts'
import { receiveBody } from './bodies.ts'
import { type ClockGroup, type ClockHandle, createClockHandle } from './clock.ts'
import { answerControl, CONTROL_PREFIX } from './control.ts'
import { createDriver, type Driver, type Machine, type Tamper } from './driver.ts'
import { readHeaders, writeReply } from './http.ts'
import { type Arrived, createListener } from './listener.ts'
import type { Recorder } from './recorder.ts'
import { createSockets, type Sockets } from './sockets.ts'

/** What a caller hangs into the path of inputs and effects. */
export type Hooks = {
  readonly onEntry: ((entry: Entry) => void) | undefined
  readonly tamper: Tamper | undefined
  /** The machines that are moved with this one. */
  readonly clocks: ClockGroup | undefined
}

export type Edge = {
  readonly http: HttpServer
  readonly driver: Driver
  readonly sockets: Sockets
  readonly clock: ClockHandle
}

type Codec = typeof Pictures

export function connect(
  server: Server,
  options: ServerOptions,
  recorder: Recorder,
  { onEntry, tamper, clocks }: Hooks,
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
  const machine: Machine<Input, Effect> = {
    step: (input) => step(server, input),
    nextWakeMs: () => nextWakeMs(server),
    nowMs: () => server.nowMs,
    epochMs: server.options.epochMs,
  }
  const driver = createDriver<Input, Effect>(machine, options.clock, carryOut, together, tamper)
  const encodeImage = (image: Picture | Preview, format: PictureFormat): Uint8Array =>
    'step' in image
      ? (codec as Codec).encodePreview(image, format)
      : (codec as Codec).encodePicture(image, format)
  const encodeFile: Codec['encodeFile'] = (file) => (codec as Codec).encodeFile(file)
  const timeMs = (): number => server.options.epochMs + server.nowMs
  const readsCredentials = options.token !== null || options.deployment === 'hosted'
  const sockets = createSockets({
    dispatch: driver.dispatch,
    encode: (content) => encodeFrame(content, encodeImage),
    timeMs,
    readsCredentials,
    compresses: options.wsCompress,
  })
  const clock = createClockHandle(options.clock, driver, () => sockets.flushed(), clocks)

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
      const admitted = admit(server, arrived)
      if ('status' in admitted)
        return write(response, finish(server.options, target, headers['accept'], admitted))
      return answerControl(arrived, response, clock, recorder, corsHeaders(options.cors))
    }
    const request = ++lastRequest
    responses.set(request, response)
    driver.dispatch((atMs) => ({ kind: 'request', atMs, request, ...arrived }))
  }

  const http = createListener({
    readHeaders: (request) => readHeaders(request, readsCredentials),
    receive: receiveBody,
    broken: refuse('badRequestText'),
    failed: refuse('internal'),
    limitBytes: (asked) => ('status' in admit(server, asked) ? 0 : maxBodyBytes(options.maxBody)),
    answer,
    write,
    timeMs,
    upgrade: sockets.upgrade,
  })
  return { http, driver, sockets, clock }
}
