// Sessions that keep every law are clean, as are those of a real server.

import { test } from 'vitest'
import { readHar, type Recording, writeHar } from '../../../dist/emulator/internal.js'
import { both } from '../../../spec/language.ts'
import { recordOf } from '../../check/sessions/counterexample.ts'
import { play } from '../../check/sessions/play.ts'
import type { Session } from '../../check/sessions/steps.ts'
import { traceOf } from '../../../dist/emulator/session/index.js'
import { judgeTraces } from '../../check/trace/judge-traces.ts'
import { laws } from '../../laws/index.ts'
import { placeText } from '../../check/trace/spots.ts'
import { expect } from '../../judge/expect.ts'
import { startSubject } from '../../judge/subject.ts'
import { goodSession } from './sessions.ts'
import { forTest } from '../../support/for-test.ts'

/** Of each law that a recording breaks the first rule, where, and why. */
function findings(recording: Recording): readonly unknown[] {
  const trace = traceOf(recording, 'good.har')
  const results = trace === undefined ? [] : judgeTraces([trace], laws)
  return results.flatMap(({ ids, found }) =>
    found.map((one) => [ids[0], placeText(one.trace, one.at), one.says]),
  )
}

/** Two runs with previews, and one that fails. */
const steps: Session = [
  { do: 'connect', client: 'a' },
  { do: 'connect', client: 'b' },
  { do: 'submit', run: 0, client: 'a', work: 'preview', variant: 1 },
  { do: 'rest' },
  { do: 'submit', run: 1, client: 'b', work: 'fail', variant: 1 },
  { do: 'rest' },
  { do: 'look' },
]

test.each(both)(
  'trace/counterexample A session that check has played on %s is saved as a recording, which can be judged.',
  async (deployment) => {
    const subject = await forTest(startSubject({ deployment }))
    const { recording } = recordOf(1, await play(subject, steps, 'salt'))
    const trace = traceOf(readHar(writeHar(recording), 'a.har'), 'a.har')
    const results = trace === undefined ? [] : judgeTraces([trace], laws)
    expect(results.flatMap(({ found }) => found.map(({ says }) => says))).toEqual([])
    const seen = results.flatMap((one) => (one.seen > 0 ? one.ids : []))
    expect(seen).toEqual(expect.arrayContaining(['messages/order', 'messages/error']))
    expect(trace?.runs).toHaveLength(2)
  },
)

type Message = Recording['sockets'][number]['messages'][number]

/** What begins a socket, for one that opens later: a status then counts the run at work. */
function late(one: Message, fromMs: number): Message {
  if (one.atMs >= fromMs) return one
  const data =
    typeof one.data === 'string'
      ? one.data.replace(/"queue_remaining":\s*0/, '"queue_remaining":1')
      : one.data
  return { ...one, atMs: fromMs, data }
}

const socketBetween = (
  { entry, url, headers, close, openMs, messages }: Recording['sockets'][number],
  fromMs: number,
  isIn: (atMs: number) => boolean,
): Recording['sockets'][number] => ({
  entry,
  url,
  headers,
  close,
  openMs: Math.max(fromMs, openMs),
  messages: messages
    .map((one, at) => (at === 0 || one.from === 'client' ? late(one, fromMs) : one))
    .filter(({ atMs }) => isIn(atMs)),
})

/** The parts of a session between two times. Sockets that were open before connect at the first. */
function between(recording: Recording, fromMs: number, toMs: number): Recording {
  const isIn = (atMs: number): boolean => atMs >= fromMs && atMs <= toMs
  return {
    ...recording,
    exchanges: recording.exchanges.filter(({ startMs, endMs }) => isIn(startMs) && isIn(endMs)),
    sockets: recording.sockets
      .filter(({ openMs }) => openMs <= toMs)
      .map((socket) => socketBetween(socket, fromMs, isIn)),
  }
}

/** How many parts of a session are judged. */
const PARTS = 60

test.each(['local', 'hosted', 'gateway'] as const)(
  'trace/parts Of %s a session and any part of it is clean, with runs that began before it or end after it.',
  async (place) => {
    const recording = await goodSession(place)
    expect(traceOf(recording, 'good.har')?.place).toBe(place)
    const { sockets, exchanges } = recording
    const beginMs = sockets[0]?.openMs ?? exchanges[0]?.startMs ?? 0
    const endMs = exchanges.at(-1)?.endMs ?? 0
    // The first part is the whole session.
    for (let part = 0; part < PARTS; part++) {
      const atMs = beginMs + ((endMs - beginMs) * part) / PARTS
      const found = [between(recording, atMs, endMs), between(recording, 0, atMs)].flatMap(findings)
      expect({ part, found }).toEqual({ part, found: [] })
    }
  },
)
