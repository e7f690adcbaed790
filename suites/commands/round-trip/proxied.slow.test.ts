// What `flowdouble record` writes of a server and what it writes of the replay of that file are the same session.

import * as fc from 'fast-check'
import { type Emulator, type Replay, startEmulator, startReplay } from 'flowdouble'
import { test } from 'vitest'
import type { Recording } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { runs } from '../../support/effort.ts'
import { type RecordingClient, withClient } from '../../support/recordings/recorded-session.ts'
import { type RecordResult, startRecord } from '../../support/recordings/recording.ts'
import {
  type Action,
  actions,
  normalised,
  play,
  presentNames,
  recordedNames,
  type Stage,
  stages,
  valuesOf,
} from '../../support/recordings/round-trip.ts'

type Names = Parameters<typeof play>[3]

/** Time stands still: runs are over immediately, at the server as at its replay. */
const still = { advance: () => Promise.resolve() }

/** Records a session at a server, through the proxy and into a file. */
async function recordAt(
  start: (client: RecordingClient) => Promise<Emulator | Replay>,
  session: readonly Action[],
  names: Names,
  stage: Stage,
): Promise<{ readonly file: string; readonly recording: Recording }> {
  const results: RecordResult[] = []
  await withClient(
    async (client) => {
      const server = await start(client)
      const proxy = await startRecord(server.url, ['--deployment', stage.place])
      const close = async (): Promise<void> => {
        results.push(await proxy.stop())
        await server.close()
      }
      return { url: proxy.url, close }
    },
    (client) => play(client, still, session, names, stage),
    stage.place,
    stage.headers,
  )
  const [{ code, stderr, file, recording }] = results as [RecordResult]
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return { file, recording: recording() }
}

/** Without the times of this machine. */
const plain = (recording: Recording): Recording => ({
  ...recording,
  sockets: recording.sockets.map(({ messages, ...rest }) => ({
    ...rest,
    messages: messages.map((one) => ({ ...one, atMs: 0 })),
  })),
})

for (const stage of stages)
  test(`round-trip/proxied A session on ${stage.place}, recorded, replayed with other ids and recorded again, is the same, frames byte for byte`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(actions, { minLength: 1, maxLength: 10 }), async (session) => {
        const then = await recordAt(
          ({ onEntry }) => startEmulator({ deployment: stage.place, clock: 'instant', onEntry }),
          session,
          recordedNames,
          stage,
        )
        if (then.recording.exchanges.length + then.recording.sockets.length === 0) return
        const now = await recordAt(
          ({ onEntry }) => startReplay({ recording: then.file, clock: 'instant', onEntry }),
          session,
          presentNames,
          stage,
        )
        const [a, b] = [plain(then.recording), plain(now.recording)]
        expect(normalised(b, new Map())).toEqual(normalised(a, valuesOf(a, b)))
      }),
      { numRuns: runs(40) },
    )
  })
