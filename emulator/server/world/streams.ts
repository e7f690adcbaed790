// The open streams of a server [v2-streams/*]: sends chunks and comments, holds them back for a fault, ends streams.

import { streamLimits } from '../../../spec/v2/v2-streams.ts'
import { cancelTimer, setTimer } from '../../lib/timers.ts'
import type { Effect, ReplyEffect } from '../../machine.ts'
import type { ServerState } from '../state/server.ts'
import type { Stream } from '../state/v2.ts'
import type { World } from '../state/world.ts'

/** What a new stream needs to be known by. */
type Opened = Pick<Stream, 'request' | 'world' | 'job' | 'host' | 'prefix'>

/** An event in ASCII, whose length in characters is that in bytes. */
export const eventText = (name: string, data: string): string =>
  `event: ${name}\ndata: ${data.replace(/[^\0-\x7f]/g, escaped)}\n\n`

const escaped = (letter: string): string =>
  `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Registers a stream. Its client has received nothing yet. */
export function openStream(state: ServerState, opened: Opened): Stream {
  const stream: Stream = Object.assign({}, opened, {
    status: '',
    progress: '',
    preview: '',
    progressMs: -Infinity,
    previewMs: -Infinity,
    isWithholding: false,
    outputs: new Set<string>(),
    sentMs: state.nowMs,
    timer: null,
    held: null,
    cut: null,
  })
  state.streams.set(opened.request, stream)
  wakeStream(state, stream, state.nowMs + streamLimits.silenceMs)
  return stream
}

/** Sends a text; `isLast` ends the stream after it. */
export function sendChunk(
  state: ServerState,
  effects: Effect[],
  stream: Stream,
  text: string,
  isLast = false,
): void {
  const { request, cut } = stream
  if (stream.held !== null) {
    stream.held.text += text
    stream.held.isLast ||= isLast
    return
  }
  const isCut = cut !== null && text.length >= cut.leftBytes
  const sent = isCut ? text.slice(0, cut.leftBytes) : text
  if (cut !== null) cut.leftBytes -= sent.length
  const then = isCut ? cut.then : isLast ? 'end' : undefined
  if (sent !== '' || then !== undefined)
    effects.push({ kind: 'chunk', request, text: sent, ...(then && { then }) })
  stream.sentMs = state.nowMs
  if (then === undefined) wakeStream(state, stream, state.nowMs + streamLimits.silenceMs)
  else endStream(state, request)
}

/** Removes a stream that has sent everything. */
export function endStream(state: ServerState, request: number): void {
  const stream = state.streams.get(request)
  if (stream !== undefined) state.endedStreams.set(request, stream)
  removeStream(state, request)
}

/** The comment after a silence [v2-streams/silence]. */
const COMMENT = ': keepalive\n\n'

/** Nothing was sent for so long that a client could take the stream for dead. */
export function breakSilence({ state }: { state: ServerState }, world: World, id: number): void {
  const stream = state.streams.get(id)
  if (stream === undefined) return
  stream.timer = null
  // A client that waits for the head receives no comment.
  if (stream.held !== null) stream.sentMs = state.nowMs
  const dueMs = stream.sentMs + streamLimits.silenceMs
  if (dueMs <= state.nowMs) sendChunk(state, world.effects, stream, COMMENT)
  else wakeStream(state, stream, dueMs)
}

/** Sets the timer of a stream. */
export function wakeStream({ timers }: ServerState, stream: Stream, atMs: number): void {
  if (stream.timer !== null) cancelTimer(timers, stream.timer)
  const what = { kind: 'silence', world: stream.world, request: stream.request } as const
  stream.timer = setTimer(timers, atMs, what)
}

/** Forgets a stream: it has ended, or its client has left. */
export function removeStream({ streams, timers }: ServerState, request: number): void {
  const timer = streams.get(request)?.timer ?? null
  if (timer !== null) cancelTimer(timers, timer)
  streams.delete(request)
}

/** Forgets all streams. Returns the numbers of their requests. */
export function forgetStreams(state: ServerState): readonly number[] {
  const requests = [...state.streams.keys()]
  state.endedStreams.clear()
  for (const request of requests) removeStream(state, request)
  return requests
}

/**
 * Lets a fault hold back the beginning of a stream until {@link releaseStream}, and end it after so many bytes. Returns its
 * head.
 */
export function disturbStream(
  { streams }: ServerState,
  reply: ReplyEffect,
  leftBytes: number | undefined,
  then: 'cut' | 'reset',
): ReplyEffect {
  const stream = streams.get(reply.request)
  if (stream === undefined) return reply
  if (leftBytes !== undefined) stream.cut = { leftBytes, then }
  stream.held = { text: reply.body as string, isLast: false }
  return Object.assign({}, reply, { body: '' })
}

/** The head of a stream has been sent: what was held back follows. */
export function releaseStream(state: ServerState, effects: Effect[], request: number): void {
  const stream = state.streams.get(request)
  if (stream === undefined || stream.held === null) return
  const { text, isLast } = stream.held
  stream.held = null
  sendChunk(state, effects, stream, text, isLast)
}
