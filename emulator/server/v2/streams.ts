// GET /jobs/{id}/events [v2-streams/*]: what happens to a job, as server-sent events. Each step compares the job with what
// its streams have sent, so that a stream never contradicts a read of the job.

import { streamLimits, streamType } from '../../../spec/v2/v2-streams.ts'
import { base64 } from '../../lib/base64.ts'
import { encodePicture, encodePreview } from '../../pictures/encode.ts'
import { refuseV2, type Reply } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import { previewOf } from '../runs/previews.ts'
import { originOf as nodeOrigin } from '../runs/running.ts'
import type { Running } from '../state/runs.ts'
import type { Server, ServerState } from '../state/server.ts'
import type { Stream } from '../state/v2.ts'
import type { HostedWorld } from '../state/world.ts'
import { isHosted } from '../world/derived.ts'
import { type Job, jobOf } from '../world/jobs.ts'
import { endStream, eventText, openStream, sendChunk, wakeStream } from '../world/streams.ts'
import { stateOf } from './jobs.ts'
import { originOf } from './links.ts'
import { outputsOf } from './outputs.ts'
import { progressOf } from './progress.ts'

const headers = {
  'Content-Type': streamType,
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
  'Transfer-Encoding': 'chunked',
}

/** Begins a stream with a snapshot of its job; of one that is over with all that is left to send. */
export function events(world: HostedWorld, request: Request, server: Server, id: number): Reply {
  if (world.setup.quirks.has('hosted.v2-no-streams')) return refuseV2('notImplemented')
  const job = jobOf(world, request.segment)
  if (job === undefined) return refuseV2('jobNotFound')
  if (openCount(server.state, world) >= streamLimits.open) return refuseV2('tooManyStreams')
  const { index } = world.setup
  const opened = { request: id, world: index, job: job.prompt_id, ...originOf(request) }
  const stream = openStream(server.state, opened)
  const { text, isLast } = news(world, stream, job)
  remind(server.state, world, stream)
  if (!isLast && request.method !== 'HEAD')
    return { status: 200, headers, body: text, stream: true }
  endStream(server.state, id)
  return { status: 200, headers, body: request.method === 'HEAD' ? '' : text }
}

const openCount = ({ streams }: ServerState, { setup }: HostedWorld): number =>
  [...streams.values()].filter(({ world }) => world === setup.index).length

/** Sends to each stream what has changed about its job. */
export function followStreams({ state, worlds }: Server): void {
  for (const stream of state.streams.values()) {
    const world = worlds[stream.world]
    if (world === undefined || !isHosted(world) || stream.held?.isLast) continue
    const job = jobOf(world, stream.job)
    // A job that has been deleted has nothing more to send.
    const { text, isLast } =
      job === undefined ? { text: '', isLast: true } : news(world, stream, job)
    if (text !== '' || isLast) sendChunk(state, world.effects, stream, text, isLast)
    if (!isLast) remind(state, world, stream)
  }
}

/** What a stream has not sent about its job, and whether its job is over: the last status follows all outputs. */
function news(world: HostedWorld, stream: Stream, job: Job): { text: string; isLast: boolean } {
  const { status, queue_position, running } = stateOf(world, job)
  const isLast = job.entry !== null
  const data = JSON.stringify(queue_position === null ? { status } : { status, queue_position })
  const own = stream.status === data ? '' : eventText('status', data)
  stream.status = data
  const outputs = newOutputs(world, stream, job)
  if (isLast) return { text: outputs + own, isLast }
  stream.isWithholding = false
  const moving = running === null ? '' : newProgress(world, stream, running)
  const seen = running === null ? '' : newPreview(world, stream, running)
  return { text: own + outputs + moving + seen, isLast }
}

/** Wakes a stream for what it withholds, since its latest progress or preview is too recent. */
function remind(state: ServerState, { state: { nowMs } }: HostedWorld, stream: Stream): void {
  const { isWithholding, progressMs, previewMs } = stream
  const dueMs = Math.min(
    ...[progressMs, previewMs].map((ms) => ms + streamLimits.pauseMs).filter((ms) => ms > nowMs),
  )
  if (isWithholding && dueMs < (stream.timer?.dueMs ?? Infinity)) wakeStream(state, stream, dueMs)
}

function newOutputs(world: HostedWorld, stream: Stream, job: Job): string {
  let text = ''
  for (const output of outputsOf(world, job, stream)) {
    if (stream.outputs.has(output.id)) continue
    stream.outputs.add(output.id)
    text += eventText('output', JSON.stringify(output))
  }
  return text
}

/** Whether the latest event of a kind is too recent for another one, which is withheld. */
function isTooEarly(stream: Stream, nowMs: number, latestMs: number): boolean {
  const isEarly = nowMs < latestMs + streamLimits.pauseMs
  stream.isWithholding ||= isEarly
  return isEarly
}

function newProgress({ state: { nowMs } }: HostedWorld, stream: Stream, running: Running): string {
  const data = JSON.stringify(progressOf(running))
  if (data === stream.progress || isTooEarly(stream, nowMs, stream.progressMs)) return ''
  stream.progress = data
  stream.progressMs = nowMs
  return eventText('progress', data)
}

function newPreview(world: HostedWorld, stream: Stream, running: Running): string {
  const { nowMs } = world.state
  const shown = previewOf(running)
  if (shown === undefined) return ''
  const node_id = nodeOrigin(running, running.current ?? '').display
  const key = `${node_id} ${running.calls?.at} ${running.step}`
  if (key === stream.preview || isTooEarly(stream, nowMs, stream.previewMs)) return ''
  stream.preview = key
  stream.previewMs = nowMs
  const { image, format } = shown
  const bytes = 'step' in image ? encodePreview(image, format) : encodePicture(image, format)
  const content_type = `image/${format}`
  return eventText('preview', JSON.stringify({ node_id, content_type, data_base64: base64(bytes) }))
}
