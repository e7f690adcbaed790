// The certificate of a server with HTTPS and WSS: from two files, or created at the start.

import { usageError } from '../../../options/usage.ts'
import type { ServerOptions } from '../../../options/server-options.ts'
import { readNamedFile } from '../../../config/named-files.ts'

/** A certificate and its private key, in PEM form. */
export type Certificate = {
  readonly cert: Buffer | string
  readonly key: Buffer | string
  /** The CA certificate that clients must trust, if created here. */
  readonly ca?: string
}

type TlsOptions = Pick<ServerOptions, 'tls' | 'tlsCert' | 'tlsKey' | 'host' | 'signedBaseUrl'>

/** The certificate of a server, or null. Throws a usage error for both --tls and files, a single file, and unusable files. */
export async function readCertificate(asked: TlsOptions): Promise<Certificate | null> {
  const { tls, tlsCert, tlsKey } = asked
  if (tls === 'auto') {
    if (tlsCert !== null || tlsKey !== null)
      throw usageError('Give --tls auto, or --tls-cert and --tls-key, not both.')
    const { makeCertificate } = await import('./certificate.ts')
    return makeCertificate(certificateHosts(asked), Date.now())
  }
  if (tlsCert === null && tlsKey === null) return null
  if (tlsCert === null || tlsKey === null) {
    throw usageError('Give --tls-cert and --tls-key together.')
  }
  const cert = readPemFile(tlsCert, 'certificate')
  const key = readPemFile(tlsKey, 'private key')
  // Loaded on demand: only TLS waits for it.
  const { createSecureContext } = await import('node:tls')
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw usageError(
      `Cannot use the certificate ${tlsCert} with the private key ${tlsKey}: ${(error as Error).message}`,
    )
  }
  return { cert, key }
}

/** The host names of the certificate: those of this machine, and those that the user configured. */
function certificateHosts({ host, signedBaseUrl }: TlsOptions): readonly string[] {
  const links = signedBaseUrl === null ? [] : [new URL(signedBaseUrl).hostname]
  const own = host === '0.0.0.0' || host === '::' ? [] : [host]
  const names = [...own, ...links].map((name) => name.replaceAll(/[[\]]/g, ''))
  return [...new Set(['localhost', '127.0.0.1', '::1', ...names])]
}

function readPemFile(file: string, what: string): Buffer {
  try {
    return readNamedFile(file)
  } catch (error) {
    throw usageError(`Cannot read the ${what}: ${(error as Error).message}`)
  }
}
