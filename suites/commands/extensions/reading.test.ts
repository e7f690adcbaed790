// Answers and messages of a scenario that cannot be used, and what the error says of them.

import { startEmulator } from 'flowdouble'
import type { AnswerRule } from '../../../spec/scenario/answers.ts'
import type { MessageRule } from '../../../spec/scenario/messages.ts'
import { validateCommand } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { newFiles } from '../../support/files.ts'
import { scripted } from '../../support/scripted.ts'

/** Answers as somebody writes them, and what the error says of them. */
const wrongAnswers: readonly (readonly [answer: object, says: RegExp])[] = [
  [{ text: 'a' }, /answers\[0\] lacks the member path/],
  [{ path: 'pack' }, /answers\[0\]\.path /],
  [{ path: '/a', method: 'get' }, /answers\[0\]\.method /],
  [{ path: '/a', status: 100 }, /answers\[0\]\.status must be a whole number from 200 to 599/],
  [{ path: '/a', json: {}, text: '' }, /answers\[0\] has json and text: choose one/],
  [{ path: '/a', status: 204, text: 'a' }, /\.text cannot stand beside status 204, which has no/],
  [{ path: '/a', headers: { a: 'b\nc' } }, /answers\[0\]\.headers\.a must be the name of a header/],
  [{ path: '/a', headers: { 'Content-Length': '1' } }, /Content-Length is set by the server/],
  [{ path: '/a', base64: '%' }, /answers\[0\]\.base64 /],
  [{ path: '/a', query: { a: [] } }, /answers\[0\]\.query\.a /],
  [{ path: '/a', bdoy: '' }, /answers\[0\]\.bdoy is not a known member/],
  [{ path: '/_flowdouble/reset' }, /answers\[0\]\.path belongs to the control paths/],
]

test('answers that cannot be used are rejected, with the reason', async () => {
  for (const [answer, says] of wrongAnswers)
    await expect(
      startEmulator(scripted({ answers: [answer as AnswerRule] })),
      says.source,
    ).rejects.toThrow(says)
})

test('a fault may be at the path of an answer', async () => {
  const { run } = newFiles({
    'a.yaml': [
      'version: 1',
      'answers: [{ path: /etn/image/* }]',
      'faults: [{ when: { path: /etn/image/5 }, then: { delayMs: 5 } }]',
    ].join('\n'),
  })
  expect(await run(validateCommand, 'a.yaml')).toMatchObject({ stdout: 'a.yaml is valid\n' })
})

/** Messages as somebody writes them, and what the error says of them. */
const wrongMessages: readonly (readonly [message: object, says: RegExp])[] = [
  [{ type: 'a' }, /messages\[0\] needs everyMs, or at: socket-open, node-start/],
  [{ type: 'a', everyMs: 5, at: 'node-end' }, /messages\[0\] has everyMs and at/],
  [{ type: 'a', everyMs: 0 }, /messages\[0\]\.everyMs /],
  [{ type: 'a', at: 'node-strat' }, /messages\[0\]\.at .*node-start/],
  [{ type: 'a', everyMs: 5, node_id: '3' }, /messages\[0\]\.node_id needs at: node-start/],
  [{ type: 'a', at: 'socket-open', run: 3 }, /messages\[0\]\.run needs at: node-start/],
  [{ type: 'a', everyMs: 5, to: 'client' }, /messages\[0\]\.to must be everyone/],
  [{ everyMs: 5 }, /messages\[0\] needs type or frame/],
  [{ everyMs: 5, type: 'a', frame: { event: 1 } }, /\.frame cannot stand beside type and data/],
  [{ everyMs: 5, frame: { event: 1, text: 'a', base64: '' } }, /has text and base64: choose one/],
  [{ everyMs: 5, frame: { text: 'a' } }, /messages\[0\]\.frame lacks the member event/],
  [{ everyMs: 5, frame: { event: 2 ** 32 } }, /messages\[0\]\.frame\.event /],
]

test('messages that cannot be sent are rejected, with the reason', async () => {
  for (const [message, says] of wrongMessages)
    await expect(
      startEmulator(scripted({ messages: [message as MessageRule] })),
      says.source,
    ).rejects.toThrow(says)
})
