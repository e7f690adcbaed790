// Values that stand for others are replaced where they occur as a whole, and nothing else changes.

import * as fc from 'fast-check'
import { test } from 'vitest'
import {
  identitiesOf,
  pairs,
  type RecordedExchange,
  replaceFrame,
  replaceTarget,
  replaceText,
} from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { runs } from '../../support/effort.ts'
import { bytesOf, exchangeWith } from '../../support/recordings/recording.ts'

const [then, now] = ['d96e0808-3a4f-473c-b53c-f4da8a793ddd', 'mine']
const values = new Map([
  [then, now],
  ['my-own-id', 'Grüße "1"'],
  ['1', 'one'],
])

test('identities/text Ids are replaced as keys, as values and, if long, inside of texts; numbers and parts of words are not', () => {
  const text = `{"${then}": {"id": "my-own-id", "number": 1, "list": ["1", "11", "my-own-id-2"]}, "link": "/jobs/${then}/a"}`
  expect(replaceText(text, values)).toBe(
    `{"mine": {"id": ${JSON.stringify('Grüße "1"')}, "number": 1, "list": ["one", "11", "my-own-id-2"]}, "link": "/jobs/mine/a"}`,
  )
  expect(replaceText(`The run ${then} ended; ${then}-2 did not.`, values)).toBe(
    `The run mine ended; ${then}-2 did not.`,
  )
})

test('identities/escapes A text in the escapes of Python is found, and written with them', () => {
  const escaped = '{"name": "Gr\\u00fc\\u00dfe.png", "other": "Gr\\u00fc\\u00dfe"}'
  expect(replaceText(escaped, new Map([['Grüße.png', 'Süße.png']]))).toBe(
    '{"name": "S\\u00fc\\u00dfe.png", "other": "Gr\\u00fc\\u00dfe"}',
  )
})

test('identities/target Whole segments and parameters of a path are replaced', () => {
  expect(replaceTarget(`/history/${then}?a=1&my-own-id=my-own-id&b=11`, values)).toBe(
    `/history/mine?a=one&my-own-id=${encodeURIComponent('Grüße "1"')}&b=11`,
  )
})

test('identities/frames The metadata of a frame is replaced with its length, its picture and other frames are not', () => {
  const metadata = bytesOf(JSON.stringify({ prompt_id: then }))
  const picture = [1, 2, 3, ...bytesOf(`"${then}"`)]
  const frame = Uint8Array.from([0, 0, 0, 4, 0, 0, 0, metadata.length, ...metadata, ...picture])
  const other = bytesOf('{"prompt_id":"mine"}')
  const head = [0, 0, 0, 4, 0, 0, 0, other.length]
  expect([...replaceFrame(frame, values)]).toEqual([...head, ...other, ...picture])
  const preview = Uint8Array.from([0, 0, 0, 1, 0, 0, 0, 1, ...picture])
  expect(replaceFrame(preview, values)).toBe(preview)
  const cut = frame.subarray(0, 10)
  expect(replaceFrame(cut, values)).toBe(cut)
})

test('identities/there-and-back A text whose ids are replaced and replaced back is the same text', () => {
  const id = fc.uuid({ version: 4 })
  fc.assert(
    fc.property(fc.json(), id, id, (text, before, after) => {
      fc.pre(before !== after && !text.includes(after))
      const filled = `{"${before}": ${text}, "id": ["${before}"]}`
      const replaced = replaceText(filled, new Map([[before, after]]))
      expect(replaced).not.toContain(before)
      expect(replaceText(replaced, new Map([[after, before]]))).toBe(filled)
    }),
    { numRuns: runs(200) },
  )
})

const exchange = (target: string, sent: object, reply: object): RecordedExchange =>
  exchangeWith({
    method: target.startsWith('/prompt') ? 'POST' : 'GET',
    url: `http://localhost${target}`,
    body: bytesOf(JSON.stringify(sent)),
    response: { status: 200, headers: [], body: bytesOf(JSON.stringify(reply)) },
  })

test('identities/pairs Values of two sessions are paired by where they were introduced', () => {
  const submit = (client_id: string, prompt_id: string) =>
    exchange('/prompt', { prompt: {}, client_id }, { prompt_id })
  const history = (id: string, filename: string) =>
    exchange(`/history/${id}`, {}, { [id]: { outputs: { '9': { images: [{ filename }] } } } })
  expect(pairs(identitiesOf(submit('a', then)), identitiesOf(submit('b', now)))).toEqual([
    ['a', 'b'],
    [then, now],
  ])
  const other = '27231eb1-0c37-4fd8-b2fc-7ca9f2d4ba96'
  expect(
    pairs(identitiesOf(history(then, 'x_1.png')), identitiesOf(history(other, 'x_7.png'))),
  ).toEqual([['x_1.png', 'x_7.png']])
})
