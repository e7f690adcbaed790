// The event streams of the hosted API v2: server-sent events about one job.

import {
  hosted,
  type Endpoints,
  type Rules,
  type Schema,
  chosen,
  observedIn,
  observedAt,
} from '../language.ts'
import { v2Error } from './errors.ts'
import { v2Output, v2Progress, v2States } from './v2-jobs.ts'
import { nullable, object, oneOf, optional, positive, text } from '../schema.ts'
import { get } from '../endpoint.ts'

/** Limits of streams: how many an account has open, and their times on the clock of the world. */
export const streamLimits = { open: 8, silenceMs: 15_000, pauseMs: 500 } as const

/** The media type of a stream. */
export const streamType = 'text/event-stream'

/** The data of each event, by its name. */
export const streamEvents = {
  status: object({ status: { enum: v2States }, queue_position: optional(nullable(positive)) }),
  progress: v2Progress,
  preview: object({
    node_id: text,
    content_type: oneOf('image/jpeg', 'image/png'),
    data_base64: { type: 'string', pattern: '^[A-Za-z0-9+/]+={0,2}$' },
  }),
  output: v2Output,
} as const satisfies Readonly<Record<string, Schema>>
export type StreamEvent = keyof typeof streamEvents

export const endpoints = {
  v2Events: get('/v2/jobs/{id}/events', hosted, {
    does: 'Streams the events of a job until it is over.',
    replies: {
      200: 'stream',
      401: v2Error,
      403: v2Error,
      404: v2Error,
      429: v2Error,
      501: v2Error,
    },
  }),
} as const satisfies Endpoints

const observed = observedIn('v2')

export const rules = {
  ...observed.hosted({
    'v2-streams/form':
      'A stream is text/event-stream: a name, one line of JSON, an empty line, without ids.',
    'v2-streams/snapshot':
      'A stream of a job that is not over begins with its status, then its progress.',
    'v2-streams/reconnect': 'A reconnect gets a new snapshot; Last-Event-ID has no effect.',
    'v2-streams/transitions':
      'A stream has a status event for each state of its job and each new queue position.',
    'v2-streams/outputs-first':
      'Every output precedes the last status; nothing follows that, and the stream ends.',
    'v2-streams/progress':
      'Progress events are complete snapshots, and at least half a second apart.',
    'v2-streams/previews':
      'A stream has previews of the current step as base64, at least half a second apart.',
  }),
  ...observedAt('published hosted API, 2026, v2; clients of hosted API v2: comfy-sdk 0.5.0').hosted(
    { 'v2-streams/silence': 'A stream has a comment after 15 seconds of silence.' },
  ),
  ...observedAt('clients of hosted API v2: comfy-api-proxy 0.1.6').hosted({
    'v2-streams/most': `An account has at most ${streamLimits.open} open streams; one more returns 429 too_many_streams.`,
  }),
  ...chosen.hosted({
    'v2-streams/of-the-past':
      'A stream of a job that is over has its outputs and its last status, and ends.',
    'v2-streams/not-ahead': 'What a stream has sent about a job, a read of the job contains.',
    'v2-streams/left': 'A client that leaves its stream ends it; its job goes on.',
    'v2-streams/behind': 'The server ends the stream of a client that stays 64 MiB behind.',
    'v2-streams/idle':
      'An open stream alone does not keep a world busy: its comments wait for other timers.',
    'v2-streams/faults': 'A fault delays a stream, or cuts or resets it after so many bytes.',
    'v2-streams/world-changes': 'A reset, restore or restart of a world ends its streams.',
  }),
} as const satisfies Rules
