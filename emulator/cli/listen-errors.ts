// Why a command cannot listen at an address, in words that say what to do.

/** Why an address cannot be listened on, and what to do; undefined for any other error. */
export function listenMessage(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const { code, port, address, hostname, isForLinks, isForGateway } =
    error as NodeJS.ErrnoException & {
      port?: number
      address?: string
      /** What is no address is looked up as a name, which is then told as one. */
      hostname?: string
      isForLinks?: boolean
      isForGateway?: boolean
    }
  const flag = isForGateway ? '--gateway-port' : '--port'
  if (code === 'EADDRINUSE') {
    const place = isForLinks ? ': signed links need the port behind that of their server' : ''
    return `Port ${port} is in use${place}. Take another with ${flag}, or a free one with ${flag} 0.`
  }
  if (code === 'EACCES' && port !== undefined)
    return `Port ${port} needs more rights. Take one above 1023 with ${flag}.`
  return code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
    ? `This machine has no address ${address ?? hostname} to listen on.`
    : undefined
}
