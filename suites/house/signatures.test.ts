// The table of signature schemes is complete: signing each vector by its row produces the published signature.

import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  base64SecretPrefix,
  type Scheme,
  schemes,
  stripeTimestamp,
  tokenHeader,
} from '../../spec/gateway/signatures.ts'
import { type SignatureVector, signatureVectors } from '../generate/signature-vectors.ts'

const rows: [string, Scheme][] = Object.entries<Scheme>(schemes)
const valueOf = ({ headers }: SignatureVector, name: string | undefined): string =>
  Object.entries(headers).find(([key]) => key.toLowerCase() === name?.toLowerCase())?.[1] ?? ''

/** The scheme that the table assigns to the headers of a vector. */
function schemeOf({ headers }: SignatureVector): string | null {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  const known = rows.find(([, { selectedBy }]) =>
    selectedBy.some((name) => names.includes(name.toLowerCase())),
  )
  return known?.[0] ?? (names.some((name) => tokenHeader.test(name)) ? 'token' : null)
}

const keyOf = (secret: string, { key }: Scheme): Buffer =>
  key === 'whsec-base64' && secret.startsWith(base64SecretPrefix)
    ? Buffer.from(secret.slice(base64SecretPrefix.length), 'base64')
    : Buffer.from(secret)

/** The value of the signature header: of its pairs, the one with the signature. */
function signed(vector: SignatureVector, scheme: Scheme): string {
  if (scheme.signs === 'token' || scheme.encoding === 'plain') return vector.secret
  const parts = {
    v0: 'v0',
    id: valueOf(vector, scheme.id),
    timestamp: valueOf(vector, scheme.timestamp) || String(vector.epochSeconds),
    body: vector.body,
  }
  const text = scheme.signs.map((part) => parts[part]).join(scheme.joint ?? '.')
  const digest = createHmac('sha256', keyOf(vector.secret, scheme)).update(text)
  return scheme.prefix + digest.digest(scheme.encoding)
}

describe.each(signatureVectors.map((vector) => [vector.title, vector] as const))(
  '%s',
  (_, vector) => {
    test('is verified by the scheme that it names', () => {
      expect(schemeOf(vector)).toBe(vector.scheme)
    })

    test('is signed according to its scheme, if it is valid', () => {
      if (vector.scheme === null) {
        expect(vector.isValid).toBe(false)
        return
      }
      const scheme: Scheme = schemes[vector.scheme]
      const own = valueOf(
        vector,
        vector.scheme === 'token' ? Object.keys(vector.headers)[0] : scheme.signature,
      )
      const expected = signed(vector, scheme)
      const whole =
        vector.scheme === 'stripe'
          ? `${stripeTimestamp}=${vector.epochSeconds},${expected}`
          : expected
      expect(own === whole).toBe(vector.isValid)
    })
  },
)

test('each scheme has a valid vector', () => {
  const proven = signatureVectors.filter(({ isValid }) => isValid).map(({ scheme }) => scheme)
  expect(rows.map(([name]) => name).filter((name) => !proven.some((one) => one === name))).toEqual(
    [],
  )
})
