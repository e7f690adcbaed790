// What holds for every template and every payload: the result is a text, and nothing is evaluated.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { direct, startGatewaySubject } from '../../judge/gateway-subject.ts'
import { anyText } from '../../generate/texts.ts'
import { runs } from '../../support/effort.ts'

const key = fc.constantFrom(
  'a',
  'b',
  '',
  '0',
  '__proto__',
  'constructor',
  '__raw__',
  'event_type',
  'x',
)
const template = fc
  .array(
    fc.oneof(
      fc.array(key, { minLength: 1, maxLength: 4 }).map((parts) => `{${parts.join('.')}}`),
      fc.string({ maxLength: 6 }),
      fc.constantFrom('{', '}', '{{', '}}', '${', '$&', '$`', '{a-b}', '\\', '\n', '{a.}', '`'),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    anyText(8),
    fc.constantFrom('{a}', '{__raw__}', null, true, 0, -0.5, 1e21),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
}))
const payload = fc.dictionary(key, value, { maxKeys: 4 })

/** The result of a template, computed a second way for texts: member by member, without a regular expression. */
function expected(text: string, given: Readonly<Record<string, string>>): string {
  let out = ''
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('}', at)
    const name = text[at] === '{' && end > at ? text.slice(at + 1, end) : ''
    const isName = name !== '' && !/[^\w.]/.test(name)
    const found = isName && Object.hasOwn(given, name) ? given[name] : undefined
    out += isName ? (found ?? `{${name}}`) : text[at]
    at = isName ? end + 1 : at + 1
  }
  return out
}

test('templates/total Any template renders with any payload, quickly, and its other text stays', async () => {
  const subject = await startGatewaySubject({ rateLimit: 1e6, routes: {} })
  try {
    const property = fc.asyncProperty(template, payload, async (text, given) => {
      subject.gateway.subscribe('note', direct(`<${text}>`, { deliver_extra: { chat_id: text } }))
      const { status } = await subject.post('note', JSON.stringify(given))
      expect(status).toBe(200)
      const found = subject.texts().at(-1) ?? ''
      expect([found[0], found.at(-1)]).toEqual(['<', '>'])
      if (!/[{}]/.test(text)) expect(found).toBe(`<${text}>`)
    })
    await fc.assert(property, { seed: 20260110, numRuns: runs(400) })
  } finally {
    await subject.close()
  }
})

test('templates/texts References to texts render as those texts, whatever surrounds them', async () => {
  const subject = await startGatewaySubject({ rateLimit: 1e6, routes: {} })
  const texts = fc.dictionary(fc.constantFrom('a', 'b', 'x'), fc.string({ maxLength: 9 }))
  const flat = fc
    .array(
      fc.oneof(
        fc.constantFrom('{a}', '{b}', '{x}', '{', '}', '{c}', '{a', '}}'),
        fc.string({ maxLength: 4 }),
      ),
    )
    .map((parts) => parts.join(''))
  try {
    const property = fc.asyncProperty(flat, texts, async (text, given) => {
      subject.gateway.subscribe('note', direct(`<${text}>`))
      expect((await subject.post('note', JSON.stringify(given))).status).toBe(200)
      expect(subject.texts().at(-1)).toBe(`<${expected(text, given)}>`)
    })
    await fc.assert(property, { seed: 20260111, numRuns: runs(300) })
  } finally {
    await subject.close()
  }
})
