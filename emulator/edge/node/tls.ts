// The certificate of a server that speaks HTTPS and WSS: from two files of the user, or made at the start.

import { readFileSync } from 'node:fs'
import { usageError } from '../../options/usage.ts'
import type { ServerOptions } from '../../options/server-options.ts'

/** A certificate and its private key, in PEM form. */
export type Certificate = {
  readonly cert: Buffer | string
  readonly key: Buffer | string
  /** What clients have to trust, where it was made here. */
  readonly ca?: string
}

type Asked = Pick<ServerOptions, 'tls' | 'tlsCert' | 'tlsKey' | 'host' | 'signedBaseUrl'>

/** The certificate of a server, null when it has none. Throws a usage error for a made one beside files, for one file alone, and for files that cannot serve as one. */
export async function readCertificate(asked: Asked): Promise<Certificate | null> {
  const { tls, tlsCert, tlsKey } = asked
  if (tls === 'auto') {
    if (tlsCert !== null || tlsKey !== null)
      throw usageError('One certificate is enough: --tls auto, or --tls-cert and --tls-key.')
    const { makeCertificate } = await import('./certificate.ts')
    return makeCertificate(hostsOf(asked), Date.now())
  }
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

/** The names under which clients reach a server: those of this machine, and what was asked for. */
function hostsOf({ host, signedBaseUrl }: Asked): readonly string[] {
  const links = signedBaseUrl === null ? [] : [new URL(signedBaseUrl).hostname]
  const own = host === '0.0.0.0' || host === '::' ? [] : [host]
  const names = [...own, ...links].map((name) => name.replaceAll(/[[\]]/g, ''))
  return [...new Set(['localhost', '127.0.0.1', '::1', ...names])]
}

function read(file: string, what: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw usageError(`Cannot read the ${what}: ${(error as Error).message}`)
  }
}
