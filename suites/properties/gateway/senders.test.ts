// Whatever a payload contains, a sender calls nothing but the address that its operator set, in the form of its table.

import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  oneof,
  record,
  string,
} from 'fast-check'
import { expect, test } from 'vitest'
import { senderDeliveries } from '../../../dist/emulator/internal.js'
import { startReceiving } from '../../support/command-line.ts'
import { direct, startGatewaySubject } from '../../judge/gateway-subject.ts'
import { runs } from '../../support/effort.ts'

const forms: Readonly<Record<string, RegExp>> = {
  github_comment: /^\/b\/repos\/[\w.-]+\/[\w.-]+\/issues\/\d+\/comments$/,
  telegram: /^\/b\/bot1:t\/sendMessage$/,
  discord: /^\/b\/api\/v10\/channels\/[\w.:@+-]+\/messages$/,
  slack: /^\/b\/api\/chat\.postMessage$/,
}
const targets = Object.keys(forms)

/** Texts that try to lead elsewhere. */
const part = oneof(
  string({ maxLength: 12, unit: 'grapheme' }),
  constantFrom(
    '..',
    '.',
    '/',
    '//evil.example',
    '@',
    '?',
    '#',
    '%2e%2e',
    '\\',
    '\r\nHost: x',
    'a/b',
  ),
  constantFrom('42', 'acme', 'acme/widgets', '-1001', 'C1'),
)
const hostile = array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''))

test('calls of senders go to the address of the operator, whatever payloads contain', async () => {
  const { url, got } = await startReceiving({ status: 200, body: '{"ok": true}' })
  const extra = {
    chat_id: '{chat}',
    thread_id: '{thread}',
    repo: '{repo}',
    pr_number: '{number}',
  }
  const settings = targets.map((target) => [target, { token: '1:t', baseUrl: `${url}/b` }])
  const subject = await startGatewaySubject({
    rateLimit: 1e6,
    deliveries: senderDeliveries(Object.fromEntries(settings)),
    routes: Object.fromEntries(
      targets.map((target) => [target, direct('x', { deliver: target, deliver_extra: extra })]),
    ),
  })
  try {
    const number = oneof(integer(), hostile)
    const payload = record({ chat: hostile, thread: hostile, repo: hostile, number })
    await assert(
      asyncProperty(constantFrom(...targets), payload, async (target, given) => {
        const before = got.length
        const { status } = await subject.post(target, given)
        expect(got.length - before).toBe(status === 200 ? 1 : 0)
        const [last] = got.slice(before)
        if (last !== undefined) {
          expect(last.path).toMatch(forms[target]!)
          expect(last.path).not.toMatch(/\/\.{1,2}\//)
          expect(last.headers.host).toBe(new URL(url).host)
        } else expect(status).toBe(502)
      }),
      { numRuns: runs(300) },
    )
    // Many of them can be sent.
    expect(got.length).toBeGreaterThan(runs(50))
  } finally {
    await subject.close()
  }
})
