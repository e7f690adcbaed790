// The error messages for an address that cannot be used, which say what to do.

/** Why a command cannot listen on an address, and what to do; undefined for any other error. */
export function listenMessage(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const { code, port, address, hostname, isForLinks, isForGateway } =
    error as NodeJS.ErrnoException & {
      port?: number
      address?: string
      /** Node looks up an invalid address as a host name and reports it as one. */
      hostname?: string
      isForLinks?: boolean
      isForGateway?: boolean
    }
  const flag = isForGateway ? '--gateway-port' : '--port'
  if (code === 'EADDRINUSE') {
    const place = isForLinks ? ': signed links use the port after that of the server' : ''
    return `Port ${port} is in use${place}. Choose another with ${flag}, or let ${flag} 0 pick a free one.`
  }
  if (code === 'EACCES' && port !== undefined)
    return `Port ${port} requires more privileges. Choose one above 1023 with ${flag}.`
  return code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
    ? `Cannot listen on ${address ?? hostname}: it is not an address of this machine.`
    : undefined
}
