// Creates a certificate for this machine, and the authority that signs it [deployments/certificate-auto]. No library:
// those that write X.509 are larger than everything else that serve loads, and tests need only the few parts of the
// format below.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

/** In PEM form; clients must trust `ca`. Its key is discarded: it signs nothing else. */
export type MadeCertificate = { readonly cert: string; readonly key: string; readonly ca: string }

const DAY_MS = 86_400_000

/** A certificate for these names and addresses, valid from a day before to a year after a moment. */
export function makeCertificate(hosts: readonly string[], nowMs: number): MadeCertificate {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const valid = sequence(utcTime(nowMs - DAY_MS), utcTime(nowMs + 365 * DAY_MS))
  const issuer = subjectName('flowdouble test authority')
  const issued = (subject: Uint8Array, of: KeyObject, ...extensions: readonly Uint8Array[]) =>
    certificate(issuer, valid, subject, of, authority.privateKey, [
      ...extensions,
      extension(oids.subjectKey, der(0x04, keyId(of))),
      extension(oids.authorityKey, sequence(der(0x80, keyId(authority.publicKey)))),
    ])
  const ca = issued(
    issuer,
    authority.publicKey,
    extension(oids.basicConstraints, sequence(yes), 'critical'),
    // Bit 5 from the left allows signing certificates.
    extension(oids.keyUsage, der(0x03, Uint8Array.of(2, 0x04)), 'critical'),
  )
  const cert = issued(
    subjectName(hosts[0] ?? 'localhost'),
    server.publicKey,
    extension(oids.basicConstraints, sequence(), 'critical'),
    extension(oids.keyUsage, der(0x03, Uint8Array.of(7, 0x80)), 'critical'),
    extension(oids.extendedKeyUsage, sequence(oid(oids.serverAuth))),
    extension(oids.alternativeNames, sequence(...hosts.map(alternativeName))),
  )
  const key = server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { cert: pem(cert), key, ca: pem(ca) }
}

/** The object identifiers in a certificate, as bytes. */
const oids = {
  commonName: '550403',
  subjectKey: '551d0e',
  keyUsage: '551d0f',
  alternativeNames: '551d11',
  basicConstraints: '551d13',
  authorityKey: '551d23',
  extendedKeyUsage: '551d25',
  serverAuth: '2b06010505070301',
  ecdsaWithSha256: '2a8648ce3d040302',
} as const

/** A value with its tag and its length. */
function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Uint8Array.of(tag, ...size), content])
}
const sequence = (...parts: readonly Uint8Array[]): Uint8Array => der(0x30, ...parts)
const oid = (hex: string): Uint8Array => der(0x06, Buffer.from(hex, 'hex'))
const text = (tag: number, value: string): Uint8Array => der(tag, Buffer.from(value, 'utf8'))
const yes = der(0x01, Uint8Array.of(0xff))

const subjectName = (name: string): Uint8Array =>
  sequence(der(0x31, sequence(oid(oids.commonName), text(0x0c, name))))

const utcTime = (ms: number): Uint8Array =>
  text(0x17, `${new Date(ms).toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`)

const extension = (id: string, value: Uint8Array, critical?: 'critical'): Uint8Array =>
  sequence(oid(id), ...(critical === undefined ? [] : [yes]), der(0x04, value))

const keyId = (key: KeyObject): Uint8Array =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()

function alternativeName(host: string): Uint8Array {
  const version = isIP(host)
  if (version === 0) return text(0x82, host)
  return der(0x87, Uint8Array.from(version === 4 ? host.split('.').map(Number) : groupsOf(host)))
}

/** The sixteen bytes of an IPv6 address. */
function groupsOf(host: string): readonly number[] {
  const [head = '', tail] = new URL(`http://[${host}]`).hostname.slice(1, -1).split('::')
  const words = (part: string | undefined): string[] => (part ? part.split(':') : [])
  const [before, after] = [words(head), words(tail)]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].flatMap((word) => {
    const value = Number.parseInt(word, 16)
    return [value >> 8, value & 0xff]
  })
}

function certificate(
  issuer: Uint8Array,
  valid: Uint8Array,
  subject: Uint8Array,
  key: KeyObject,
  by: KeyObject,
  extensions: readonly Uint8Array[],
): Uint8Array {
  const algorithm = sequence(oid(oids.ecdsaWithSha256))
  // A serial number must be positive and unique.
  const serial = randomBytes(16)
  serial[0] = 0x40 | (serial[0]! & 0x3f)
  const signed = sequence(
    der(0xa0, der(0x02, Uint8Array.of(2))),
    der(0x02, serial),
    algorithm,
    issuer,
    valid,
    subject,
    key.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  const signature = sign('sha256', signed, by)
  return sequence(signed, algorithm, der(0x03, Uint8Array.of(0), signature))
}

const pem = (bytes: Uint8Array): string => {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
