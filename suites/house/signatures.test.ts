// The table of signature schemes is complete: signing each vector by its row produces the published signature.

import { describe, expect, test } from 'vitest'
import { type Place, type Scheme, schemes, tokenHeader } from '../../spec/gateway/signatures.ts'
import { headersOf } from '../generate/senders.ts'
import { signatureVectors } from '../generate/signature-vectors.ts'
import type { SignatureVector } from '../generate/vectors/vector.ts'
import { headerOf } from '../judge/posts.ts'

const rows: [string, Scheme][] = Object.entries<Scheme>(schemes)
const valueOf = ({ headers }: Pick<SignatureVector, 'headers'>, name: string | undefined): string =>
  Object.entries(headers).find(([key]) => key.toLowerCase() === name?.toLowerCase())?.[1] ?? ''

/** The scheme that the table assigns to the headers of a vector. */
function schemeOf({ headers }: SignatureVector): string | null {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  const known = rows.find(([, { selectedBy }]) =>
    selectedBy.some((name) => names.includes(name.toLowerCase())),
  )
  return known?.[0] ?? (names.some((name) => tokenHeader.test(name)) ? 'token' : null)
}

describe.each(signatureVectors.map((vector) => [vector.title, vector] as const))(
  '%s',
  (_, vector) => {
    test('is verified by the scheme that it names', () => {
      const { scheme } = vector
      const isDetected = scheme !== null && schemes[scheme].selectedBy.length > 0
      expect(schemeOf(vector)).toBe(isDetected ? scheme : null)
    })

    test('is signed according to its scheme, if it is valid', () => {
      if (vector.scheme === null) {
        expect(vector.isValid).toBe(false)
        return
      }
      const { scheme, secret, body, isValid } = vector
      const { id, time }: Scheme = schemes[scheme]
      const textIn = (place: Place | undefined): string =>
        place !== undefined && 'header' in place ? valueOf(vector, place.header) : ''
      const headers = headersOf(scheme, {
        body,
        secret,
        id: textIn(id),
        timestamp: textIn(time) || String(vector.epochSeconds),
      })
      const name = headerOf(scheme)
      expect(valueOf(vector, name) === valueOf({ headers }, name)).toBe(isValid)
    })
  },
)

test('each scheme has a valid vector', () => {
  const proven = signatureVectors.filter(({ isValid }) => isValid).map(({ scheme }) => scheme)
  expect(rows.map(([name]) => name).filter((name) => !proven.some((one) => one === name))).toEqual(
    [],
  )
})
