// The certificate of a server that speaks HTTPS and WSS, from two files of the user.

import { readFileSync } from 'node:fs'
import { usageError } from '../../options/usage.ts'
import type { ServerOptions } from '../../options/server-options.ts'

/** A certificate and its private key, in PEM form. */
export type Certificate = { readonly cert: Buffer; readonly key: Buffer }

/** The certificate of a server, null when it has none. Throws a usage error for one file alone, and for files that cannot serve as one. */
export async function readCertificate({
  tlsCert,
  tlsKey,
}: Pick<ServerOptions, 'tlsCert' | 'tlsKey'>): Promise<Certificate | null> {
  if (tlsCert === null && tlsKey === null) return null
  if (tlsCert === null || tlsKey === null) {
    throw usageError(
      'A certificate and its key are of use together only: --tls-cert and --tls-key.',
    )
  }
  const cert = read(tlsCert, 'certificate')
  const key = read(tlsKey, 'private key')
  // Only who asks for TLS waits for it to load.
  const { createSecureContext } = await import('node:tls')
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw usageError(
      `The certificate ${tlsCert} cannot be used with the private key ${tlsKey}: ${(error as Error).message}`,
    )
  }
  return { cert, key }
}

function read(file: string, what: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw usageError(`Cannot read the ${what}: ${(error as Error).message}`)
  }
}
