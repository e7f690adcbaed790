// The server behind a replay: requests that were not recorded go to it, and its answers and messages are reported for the
// recording.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { faultCodes } from '../../../spec/v2/errors.ts'
import { bucketOf } from '../../../spec/router/errors.ts'
import { surfaceOf } from '../../../spec/hosted/surfaces.ts'
import type { Place } from '../../../spec/language.ts'
import { json, type Reply } from '../../http/replies.ts'
import { membersIn } from '../../lib/loose.ts'
import type { Effect, IncomingRequest, Input } from '../../machine.ts'
import { clientIn, fileNameIn } from '../../recording/identities.ts'
import {
  isForwarded,
  isSubmit,
  noteExchange,
  noteMessage,
  noteReplayed,
  nothingForwarded,
} from '../../recording/replay/forwarded.ts'
import type { ReplayWorld } from '../../recording/replay/state.ts'
import { localCors } from '../../server/cors.ts'
import type { HeaderList } from '../../session/recording.ts'
import { passRequest, type ProxyParts } from '../proxy/exchanges.ts'
import { createPlaces, linkPrefix } from '../proxy/places.ts'
import type { Sink } from '../proxy/sink.ts'
import { createUnderWay } from '../proxy/under-way.ts'
import { createUpstream, headersFor } from '../proxy/upstream.ts'
import { createLinks } from './links.ts'

/** The server behind a replay, and what to do with what it says. */
export type UpstreamOptions = {
  /** Its address, without query. */
  readonly target: URL
  readonly ca: string | null
  /** Headers that it gets with each request, in place of those of the client; no recording has them. */
  readonly headers: HeaderList
  readonly sink: Sink
  /** Receives one line for what does not succeed. */
  readonly log: (line: string) => void
}

type Parts = UpstreamOptions & {
  readonly world: ReplayWorld
  /** The origin of the recorded server: the recording goes on as one of the same. */
  readonly recordedOrigin: string | undefined
  readonly emit: (effects: readonly Effect[]) => void
  readonly write: (response: ServerResponse, reply: Reply) => void
}

export type Behind = {
  /** Whether a path is that of another host, which the server has named in a link. */
  readonly isLink: (target: string) => boolean
  /** Answers a request by the server behind if that is to answer it; returns whether it is. */
  readonly take: (arrived: IncomingRequest, response: ServerResponse) => boolean
  /** The replay has answered a request. */
  readonly entered: () => void
  /** Notes what a socket of the replay does, after it has been applied. */
  readonly note: (input: Input) => void
  readonly close: () => Promise<unknown>
}

export function createBehind(parts: Parts): Behind {
  const { world, target, ca, headers, sink, log, recordedOrigin, emit, write } = parts
  const { place } = world.script
  const { cors } = world.options
  const corsHeaders = cors === null ? {} : localCors(cors)
  const forwarded = nothingForwarded()
  const places = createPlaces(target, recordedOrigin)
  const upstream = createUpstream(ca, headers)
  const underWay = createUnderWay()
  const links = createLinks({
    place,
    places,
    sink,
    ca,
    headers,
    emit,
    log,
    clientOf: (socket) => world.state.sockets.get(socket)?.client,
    isLatest: () => forwarded.latest === 'forwarded',
    received: (text) => noteMessage(forwarded, text),
    isAwaited: (client) =>
      [...forwarded.open.values()].some((one) => one === null || client === null || one === client),
  })
  const proxy: ProxyParts = {
    places,
    upstream,
    faults: null,
    untilStopped: underWay.untilStopped,
    waitFor: underWay.waitFor,
    sink: {
      ...sink,
      exchange: (exchange) => {
        if (exchange.response === null) return
        noteExchange(forwarded, place, exchange)
        sink.exchange(exchange)
      },
    },
    unreachable: ({ method = 'GET', url = '/' }, response, why) => {
      log(`502 to ${method} ${url.split('?')[0]}: ${why}`)
      write(response, unreachableReply(place, url, why))
    },
  }
  const uploads = createUploads(proxy, log)
  const pass = async (arrived: IncomingRequest, response: ServerResponse): Promise<void> => {
    if (arrived.method !== 'GET' && arrived.method !== 'HEAD') await uploads.send()
    if (isSubmit(arrived)) {
      const contentType = arrived.headers['content-type'] ?? ''
      response.once('close', await links.join(clientIn({ ...arrived, contentType })))
    }
    for (const [name, value] of Object.entries(corsHeaders)) response.setHeader(name, value)
    if (!response.destroyed) passRequest(proxy, response.req, response, arrived.body)
  }
  /** The last run that is replayed. */
  let replayed: unknown
  return {
    isLink: (path) => path.startsWith(linkPrefix),
    take: (arrived, response) => {
      const isOfServer = arrived.target.startsWith(linkPrefix)
      // A body that is missing cannot go on.
      if (arrived.fault !== undefined) return false
      // With --cors, the replay answers the preflights of pages.
      if (arrived.method === 'OPTIONS' && cors !== null) return false
      if (!isOfServer && !isForwarded(world, forwarded, arrived)) {
        uploads.note(arrived, response.req)
        return false
      }
      underWay.waitFor(pass(arrived, response))
      return true
    },
    entered: () => {
      const last = [...world.state.runs.values()].at(-1)
      if (last === replayed) return
      replayed = last
      noteReplayed(world, forwarded)
    },
    note: links.note,
    close: async () => {
      links.close()
      const ended = underWay.stop()
      upstream.close()
      await ended
    },
  }
}

/**
 * Uploads that the recording has answered: the server behind has not got them, and what is forwarded can need them. They are sent
 * before that.
 */
function createUploads({ places, upstream }: ProxyParts, log: (line: string) => void) {
  const kept: { readonly arrived: IncomingRequest; readonly message: IncomingMessage }[] = []
  const sendOne = ({ arrived, message }: (typeof kept)[number]): Promise<void> =>
    new Promise((resolve) => {
      const place = places.find(arrived.target)
      if (place === undefined) return resolve()
      const name = fileNameIn(arrived.headers['content-type'] ?? '', arrived.body) ?? 'a file'
      const failed = (why: string): void => {
        log(`${name}, an upload that was recorded, is not at ${place.origin}: ${why}`)
        resolve()
      }
      const headers = headersFor(message, place).filter(
        ([own]) => !/^(?:content-(?:length|encoding)|transfer-encoding)$/i.test(own),
      )
      const call = upstream.begin(message, place, headers)
      call.on('error', (error) => failed(error.message))
      call.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('close', () => {
          if (response.statusCode !== 200) return failed(`it answers ${response.statusCode}`)
          const stored = membersIn(Buffer.concat(chunks))['name']
          if (typeof stored === 'string' && stored !== name)
            return failed(`it has another file of that name, and stored it as ${stored}`)
          resolve()
        })
      })
      call.end(arrived.body)
    })
  return {
    note: (arrived: IncomingRequest, message: IncomingMessage): void => {
      const isUpload = arrived.method === 'POST' && /^(?:\/api)?\/upload\b/.test(arrived.target)
      if (isUpload && kept.length < MAX_UPLOADS) kept.push({ arrived, message })
    },
    send: async (): Promise<void> => {
      for (const one of kept.splice(0)) await sendOne(one)
    },
  }
}

/** The uploads that are kept for the server behind. */
const MAX_UPLOADS = 100

/** The answer to a request that the server behind cannot answer, as a server of that place says it. */
function unreachableReply(place: Place, target: string, why: string): Reply {
  if (place === 'local') {
    const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
    return { status: 502, headers, body: `502: ${why}` }
  }
  if (place === 'gateway') return json(JSON.stringify({ error: why }), 502)
  const surface = surfaceOf(target)
  if (surface === 'router') {
    const error_type = bucketOf(502, false)
    return json(JSON.stringify({ detail: why, error_type }), 502)
  }
  const error = { error: { code: faultCodes[502], message: why, details: null } }
  return json(JSON.stringify(surface === 'v2' ? error : { code: 'BAD_GATEWAY', message: why }), 502)
}
