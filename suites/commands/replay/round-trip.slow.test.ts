// A recorded session that is replayed with other ids, and recorded again, is the same session.

import * as fc from 'fast-check'
import { startReplay } from 'flowdouble'
import { test } from 'vitest'
import type { Recording } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { runs } from '../../support/effort.ts'
import { recordedWorld, startMs, withClient } from '../../support/recordings/recorded-session.ts'
import { contentOf } from '../../support/recordings/replayed.ts'
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

const recordSession = (session: readonly Action[], stage: Stage): Promise<Recording> =>
  recordedWorld(
    { deployment: stage.place, pace: 7 },
    (client, world) => play(client, world, session, recordedNames, stage),
    stage.headers,
  )

const replaySession = (
  recorded: Recording,
  session: readonly Action[],
  stage: Stage,
): Promise<Recording> =>
  withClient(
    ({ onEntry }) =>
      startReplay({ recording: contentOf(recorded), clock: 'manual', epoch: startMs, onEntry }),
    (client, replay) => play(client, replay, session, presentNames, stage),
    stage.place,
    stage.headers,
  )

async function comesBack(stage: Stage, session: readonly Action[]): Promise<void> {
  const recorded = await recordSession(session, stage)
  if (recorded.exchanges.length + recorded.sockets.length === 0) return
  const present = await replaySession(recorded, session, stage)
  const values = valuesOf(recorded, present)
  expect(normalised(present, new Map())).toEqual(normalised(recorded, values))
}

for (const stage of stages) {
  test(`replay/round-trip A replay with other ids on ${stage.place}, recorded again, is the recorded session, frames byte for byte`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(actions, { minLength: 1, maxLength: 14 }), (session) =>
        comesBack(stage, session),
      ),
      { numRuns: runs(60) },
    )
  })

  test(`replay/nameless Submits of one workflow, with a client and without one, get their recorded responses on ${stage.place}`, async () => {
    const submit = (client: number | null): Action => ({
      do: 'submit',
      graph: 2,
      client,
      hasOwnId: false,
    })
    await comesBack(stage, [submit(null), submit(0), submit(null)])
    await comesBack(stage, [submit(0), submit(null), submit(1), submit(null), submit(0)])
  })

  test(`replay/whole-run Sockets with and without metadata, an upload, a failure and an interrupt come back on ${stage.place}`, async () => {
    await comesBack(stage, [
      { do: 'open', client: 0 },
      { do: 'open', client: 1 },
      { do: 'flags', socket: 0 },
      { do: 'upload', bytes: new Uint8Array([1, 2, 3]) },
      { do: 'submit', graph: 2, client: 0, hasOwnId: true },
      { do: 'poll', path: '/queue' },
      { do: 'advance', ms: 40 },
      { do: 'poll', path: '/queue' },
      { do: 'entry', run: 0 },
      { do: 'submit', graph: 2, client: 1, hasOwnId: false },
      { do: 'advance', ms: 400 },
      { do: 'entry', run: 0 },
      { do: 'submit', graph: 5, client: 0, hasOwnId: false },
      { do: 'submit', graph: 6, client: 1, hasOwnId: true },
      { do: 'advance', ms: 150 },
      { do: 'post', path: '/interrupt', body: {} },
      { do: 'advance', ms: 500 },
      { do: 'poll', path: '/history' },
      { do: 'post', path: '/history', body: { clear: true } },
      { do: 'poll', path: '/history' },
      { do: 'entry', run: 0 },
    ])
  })
}
