// What holds for every signed post: as its sender signed it, it is accepted, and with one byte changed it is not.

import { sign } from '@octokit/webhooks-methods'
import * as fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { type Scheme, type SchemeName, schemes } from '../../../spec/gateway/signatures.ts'
import { type GatewaySubject, startGatewaySubject } from '../../judge/gateway-subject.ts'
import {
  headerBy,
  headersOf,
  NOW,
  schemeNames,
  signedHeadersBy,
  signingSchemes,
} from '../../generate/senders.ts'
import { exchangeBytes } from '../../judge/wire.ts'
import { anyText } from '../../generate/texts.ts'
import { runs } from '../../support/effort.ts'

/** Runs a property on a gateway without a rate limit. */
async function holds(
  property: (subject: GatewaySubject) => fc.IAsyncProperty<any>,
  numRuns: number,
) {
  const subject = await startGatewaySubject({ rateLimit: 1e6, routes: {} })
  try {
    await fc.assert(property(subject), { seed: 20260109, numRuns: runs(numRuns) })
  } finally {
    await subject.close()
  }
}

const body = fc
  .dictionary(fc.string(), fc.oneof(anyText(), fc.integer()), { maxKeys: 4 })
  .map((value) => JSON.stringify(value))
const secret = fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' })
/** What a header can contain as it is. */
const token = fc.stringMatching(/^[!-~]{8,40}$/)

type Bytes = readonly (readonly [name: string, value: Buffer])[]

/** Posts headers byte by byte. */
async function post({ url }: GatewaySubject, headers: Bytes, sent: Buffer): Promise<number> {
  const lines = headers.flatMap(([name, value]) => [
    Buffer.from(`${name}: `),
    value,
    Buffer.from('\r\n'),
  ])
  const head = `POST /webhooks/hook HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${sent.length}\r\n`
  return (
    await exchangeBytes(
      url,
      Buffer.concat([Buffer.from(head), ...lines, Buffer.from('\r\n'), sent]),
    )
  ).status
}

const bytesOf = (headers: Readonly<Record<string, string>>): Bytes =>
  Object.entries(headers).map(([name, value]) => [name, Buffer.from(value)])

/** Bytes with one of them changed into another that a header can contain, and not at its ends as a blank. */
function changed(bytes: Buffer, at: number, to: number): Buffer {
  const copy = Buffer.from(bytes)
  const place = at % copy.length
  const value = 0x21 + (to % 0x5e)
  copy[place] = copy[place] === value ? (value === 0x21 ? 0x22 : 0x21) : value
  return copy
}

test('signatures/any-byte One byte changed in body, header, time or secret is rejected, in each scheme', () =>
  holds(
    (subject) =>
      fc.asyncProperty(
        fc.constantFrom(...schemeNames),
        token,
        body,
        fc.nat(),
        fc.nat(),
        async (name: SchemeName, key, text, at, to) => {
          const scheme: Scheme = schemes[name]
          const sent = Buffer.from(text)
          subject.gateway.subscribe('hook', { secret: key })
          const headers = bytesOf(
            headersOf(name, { body: sent, secret: key, id: `id-${at}-${to}` }),
          )
          expect([name, await post(subject, headers, sent)]).not.toEqual([name, 401])
          const signed = new Set([headerBy(scheme), ...signedHeadersBy(scheme)])
          for (const [which, [header, value]] of headers.entries()) {
            if (!signed.has(header)) continue
            const other = headers.with(which, [header, changed(value, at, to)])
            expect([name, header, await post(subject, other, sent)]).toEqual([name, header, 401])
          }
          if (scheme.algorithm !== 'none') {
            const other = changed(sent, at, to)
            expect([name, 'body', await post(subject, headers, other)]).toEqual([name, 'body', 401])
            const more = Buffer.concat([sent, Buffer.from([to & 255])])
            expect([name, 'more', await post(subject, headers, more)]).toEqual([name, 'more', 401])
          }
          subject.gateway.subscribe('hook', {
            secret: changed(Buffer.from(key), at, to).toString(),
          })
          expect([name, 'secret', await post(subject, headers, sent)]).toEqual([
            name,
            'secret',
            401,
          ])
        },
      ),
    150,
  ))

test('signatures/any-secret Posts that are signed with any secret are accepted by every scheme that signs', () =>
  holds(
    (subject) =>
      fc.asyncProperty(
        fc.constantFrom(...signingSchemes),
        secret,
        body,
        async (name, key, text) => {
          fc.pre(!key.startsWith('whsec_'))
          subject.gateway.subscribe('hook', { secret: key })
          const sent = Buffer.from(text)
          const headers = bytesOf(headersOf(name, { body: sent, secret: key }))
          expect([name, await post(subject, headers, sent)]).not.toEqual([name, 401])
        },
      ),
    100,
  ))

test("signatures/senders Posts that the senders' libraries sign are accepted, and changed ones are not", () =>
  holds(
    (subject) =>
      fc.asyncProperty(fc.uint8Array({ minLength: 24, maxLength: 64 }), body, async (key, text) => {
        const sent = Buffer.from(text)
        const coded = `whsec_${Buffer.from(key).toString('base64')}`
        subject.gateway.subscribe('hook', { secret: coded })
        const id = `msg_${coded.slice(6, 20)}`
        const webhook = new Webhook(coded)
        for (const prefix of ['webhook', 'svix']) {
          const standard = {
            [`${prefix}-id`]: id,
            [`${prefix}-timestamp`]: `${NOW}`,
            [`${prefix}-signature`]: webhook.sign(id, new Date(NOW * 1000), text),
          }
          expect(await post(subject, bytesOf(standard), sent)).not.toBe(401)
          expect(await post(subject, bytesOf(standard), Buffer.from(`${text} `))).toBe(401)
        }
        const hub = { 'X-Hub-Signature-256': await sign(coded, text) }
        expect(await post(subject, bytesOf(hub), sent)).not.toBe(401)
        expect(await post(subject, bytesOf(hub), Buffer.from(`${text} `))).toBe(401)
      }),
    60,
  ))
