// Replays a recording on Node sockets: starts a server that answers as the recorded one, and returns a handle to its clock.

import { readFile } from 'node:fs/promises'
import type { Server as HttpServer, ServerResponse } from 'node:http'
import { refuse } from '../../http/replies.ts'
import { isSocketPath } from '../../http/routes.ts'
import { splitTarget } from '../../http/requests.ts'
import type { Effect, Entry, Input, RequestHead } from '../../machine.ts'
import { refused } from '../../lib/refused.ts'
import { completeOptions } from '../../options/complete.ts'
import type { ServerOptions } from '../../options/server-options.ts'
import { usageError } from '../../options/usage.ts'
import { readHar } from '../../recording/read-har.ts'
import { readRecording } from '../../recording/read-recording.ts'
import { serverOf } from '../../session/server-of.ts'
import { lacksMessages, type Recording } from '../../session/recording.ts'
import { createReplay, replayMachine } from '../../recording/replay/machine.ts'
import { runsOf } from '../../recording/replay/run-state.ts'
import type { ReplayWorld } from '../../recording/replay/state.ts'
import { localCors } from '../../server/cors.ts'
import { encodeFrame } from '../../server/world/frames.ts'
import { type Codec, createCodec } from '../codec.ts'
import { MAX_CONTROL_BYTES } from '../control.ts'
import { createHost, type Host } from '../host.ts'
import { after } from '../later.ts'
import { trackConnections } from '../lifetime.ts'
import { receiveBody } from '../node/bodies.ts'
import { headerReader, nodeParts, nodeResponses } from '../node/http.ts'
import { createWebServer, serve } from '../node/http-listener.ts'
import { hostOf, listen, portOf } from '../node/ports.ts'
import { createSockets, type Sockets } from '../node/sockets.ts'
import { createRecorder, type Recorder } from '../recorder.ts'
import { picturePath } from '../inspector/paths.ts'
import { type Behind, createBehind, type UpstreamOptions } from './upstream.ts'
import { createReplayHandle, type Replay, replayPaths, replayServerName } from './handle.ts'
import { type ReplayOptionsInput, replayOptionNames } from './start.ts'

/**
 * Starts a replay: see `startReplay` of start.ts.
 * @param upstream the server that answers what was not recorded; null for none.
 */
export async function serveReplay(
  given: ReplayOptionsInput,
  upstream: UpstreamOptions | null = null,
): Promise<Replay> {
  const { recording, onEntry, any = [], ...rest } = given
  const known: readonly string[] = replayOptionNames
  const foreign = Object.keys(rest).find((name) => !known.includes(name))
  if (foreign !== undefined)
    throw usageError(`A replay has no option ${foreign}: it answers as recorded.`)
  const names = namesIn(any)
  const options = completeOptions({ port: 0, ...rest })
  const { name, content } = await readRecordingOf(recording)
  const isNow = options.epoch === 'now'
  const epochMs = isNow ? Date.now() : ((rest.epoch as number | undefined) ?? null)
  const { seed, cors } = options
  const replayOptions = { epochMs, seed, cors, any: names }
  const world = createReplay(content, replayOptions, upstream === null ? name : null)
  const recorder = await createRecorder(
    replayMachine(world),
    () => ({ recording: name, epochMs: world.options.epochMs, seed: options.seed }),
    async () => (await import('../../server/journal.ts')).journalOf('replay 1'),
    null,
    new Set<string>(),
  )
  const http = await createWebServer(null)
  const closing = trackConnections([http])
  try {
    await listen(http, options.host, options.port)
    const warnings = lacksMessages(content) ? [withoutMessages(name)] : []
    const behind = upstream && { ...upstream, recordedOrigin: originOf(content) }
    return connect({ world, options, recorder, http, closing, onEntry, warnings, behind })
  } catch (error) {
    await closing()
    throw error
  }
}

/** The origin of the recorded server; undefined if the recording names none. */
function originOf(recording: Recording): string | undefined {
  const urls = [...recording.exchanges, ...recording.sockets].map(({ url }) => new URL(url))
  const isOne = new Set(urls.map(({ host }) => host)).size === 1
  const host = serverOf(recording)?.host ?? (isOne ? urls[0]?.host : undefined)
  const found = urls.find((url) => url.host === host)
  return found && `${found.protocol.replace('ws', 'http')}//${found.host}`
}

function namesIn(any: readonly string[]): readonly string[] {
  if (!Array.isArray(any)) throw usageError("any is a list of names: ['seed'].")
  const wrong = any.find((name) => typeof name !== 'string' || !/^[^.\s]+(\.[^.\s]+)?$/.test(name))
  if (wrong === undefined) return any
  throw usageError(
    `any names members, as seed or KSampler.seed: ${JSON.stringify(wrong)} does not.`,
  )
}

const withoutMessages = (name: string): string =>
  `${name} has runs, but no messages of sockets, which some browsers and proxies do not write: a client that waits for them waits without end.`

/** The name of a recording for messages, and what it holds. */
async function readRecordingOf(
  recording: string | object,
): Promise<{ readonly name: string; readonly content: Recording }> {
  if (typeof recording !== 'string')
    return { name: 'The recording', content: readHar(JSON.stringify(recording), 'The recording') }
  const bytes = await readFile(recording).catch((error: unknown) => {
    throw refused(`Cannot read the recording: ${(error as Error).message}.`)
  })
  return { name: recording, content: readRecording(bytes, recording) }
}

type Parts = {
  readonly world: ReplayWorld
  readonly options: ServerOptions
  readonly recorder: Recorder<Input, Effect>
  readonly http: HttpServer
  readonly closing: () => Promise<void>
  readonly onEntry: ((entry: Entry) => void) | undefined
  readonly warnings: readonly string[]
  readonly behind: (UpstreamOptions & { readonly recordedOrigin: string | undefined }) | null
}

function connect(parts: Parts): Replay {
  const { world, options, recorder, http, closing, warnings } = parts
  const codec = createCodec()
  const host = createReplayHost(
    parts,
    codec,
    () => sockets,
    () => handle,
  )
  const behind =
    parts.behind &&
    createBehind({
      ...parts.behind,
      world,
      emit: (effects) => sockets.emit(effects),
      write: host.write,
    })
  const sockets = createSockets({
    dispatch: (at) => {
      let input: Input | undefined
      host.driver.dispatch((atMs) => (input = at(atMs)))
      if (input !== undefined) behind?.note(input)
    },
    encode: (content) => encodeFrame(content, (of) => codec.pictures().encodeImage(of)),
    timeMs: host.timeMs,
    name: replayServerName,
    compresses: false,
    lastSocket: 0,
  })
  const handle = createReplayHandle(world, recorder, {
    advance: host.clock.advance,
    until: host.clock.until,
    dispatch: host.driver.dispatch,
    changeWorld: host.changeWorld,
    watch: host.watch,
    flushed: sockets.flushed,
  })
  listenTo(parts, codec, host, sockets, behind)
  const port = portOf(http)
  return Object.assign(handle, {
    url: `http://${hostOf(options.host, port)}`,
    port,
    warnings,
    close: async () => {
      host.close()
      await behind?.close()
      sockets.closeAll()
      recorder.close()
      await closing()
    },
  })
}

type ReplayHost = Host<Input, Effect, ServerResponse>

function createReplayHost(
  { world, options, recorder, onEntry }: Parts,
  codec: Codec,
  sockets: () => Sockets,
  handle: () => ReturnType<typeof createReplayHandle>,
): ReplayHost {
  return createHost<Input, Effect, ServerResponse>(
    replayMachine(world),
    recorder,
    {
      clock: options.clock,
      emit: (effects) => sockets().emit(effects),
      batch: (work) => sockets().batch(work),
      flushed: () => sockets().flushed(),
      worked: () => undefined,
      hint: (own) =>
        runsOf(world).length > 0
          ? (own ?? 'Has the client sent what was recorded?')
          : 'No recorded workflow has been submitted yet, so there is nothing to wait for.',
      states: ['started', 'success', 'error', 'interrupted'],
      responses: nodeResponses((file) => codec.pictures().encodeFile(file), replayServerName),
      ready: () => undefined,
      control: options.control,
      about: { deployment: world.script.place, like: null, generation: null },
      isDown: () => false,
      guard: {
        host: options.host,
        origin: options.cors === '*' ? null : options.cors,
        token: options.controlToken,
      },
      ...nodeParts({ place: 'local' }),
    },
    { onEntry },
    async (move) => ({ ...replayPaths(handle(), move), ...picturePath(recorder) }),
  )
}

/** As large as what a real server accepts by default. */
const MAX_BODY_BYTES = 100 * 2 ** 20

function listenTo(
  { world, options, http }: Parts,
  codec: Codec,
  host: ReplayHost,
  sockets: Sockets,
  behind: Behind | null,
): void {
  const isControl = (arrived: RequestHead): boolean =>
    host.isControl(arrived) && behind?.isLink(arrived.target) !== true
  const { place } = world.script
  serve(http, {
    readHeaders: headerReader(),
    receive: receiveBody,
    limitBytes: (head) => (isControl(head) ? MAX_CONTROL_BYTES : MAX_BODY_BYTES),
    answer: (arrived, response) =>
      after(
        codec.ready(() => arrived.target.includes('/view')),
        () => {
          if (isControl(arrived))
            return host.answerControl(arrived, response, localCors(options.cors))
          if (behind?.take(arrived, response) === true) return undefined
          host.enter(response, arrived)
          return behind?.entered()
        },
      ),
    write: host.write,
    isSocketPath: (path) => place !== 'gateway' && isSocketPath(place, splitTarget(path)[0]),
    refusals: { badRequest: refuse('badRequestText'), internal: refuse('internal') },
    refuseExpectation: null,
    timeMs: host.timeMs,
    name: replayServerName,
    upgrade: sockets.upgrade,
  })
}
