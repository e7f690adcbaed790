// The session of a gateway as a recording.

import type { GatewayEffect, GatewayInput } from '../../gateway/state/inputs.ts'
import type { GatewayWorld } from '../../gateway/state/state.ts'
import { plainHeaders } from '../../gateway/post/schemes.ts'
import type { Effect, Entry, Input } from '../../machine.ts'
import type { CompleteGatewayOptions } from '../../options/gateway.ts'
import { nameLike } from '../../options/like.ts'
import type { Recorder } from '../recorder.ts'
import { recordedEntries, recordingText } from '../recording.ts'

/** The session since the last reset as the text of a HAR file. */
export async function gatewayRecording(
  { setup }: GatewayWorld,
  { like, seed }: CompleteGatewayOptions,
  recorder: Recorder<GatewayInput, GatewayEffect>,
): Promise<string> {
  const entries = recordedEntries(await recorder.view())
  const info = {
    version: 1,
    origin: 'a world of flowdouble',
    place: 'gateway',
    ...(like !== null && { like }),
    seed,
  } as const
  const { epochMs } = setup.options
  const machine = { info, scheme: 'http', epochMs, serverName: nameLike(like) } as const
  const noFrames = (): Uint8Array => new Uint8Array()
  const names = { redact: [], keep: plainHeaders(setup.options.schemes) }
  const redaction = Object.assign({ names }, await recorder.redaction())
  return recordingText(entries.map(overHttp), machine, redaction, noFrames)
}

/** What passes over HTTP. */
const overHttp = ({ input, effects }: Entry<GatewayInput, GatewayEffect>): Entry => ({
  input: inputOf(input),
  effects: effects.flatMap((effect): readonly Effect[] =>
    effect.kind === 'reply' ? [effect] : [],
  ),
})

const inputOf = (input: GatewayInput): Input =>
  input.kind === 'request' ? input : { kind: 'wake', atMs: input.atMs }
