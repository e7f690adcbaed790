// Recognizes the addresses and names that refer to this machine only, or that only its network reaches.

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\]|::ffff:127(\.\d{1,3}){3})$/i

/** Whether an address or a name refers to this machine only. */
export const isLoopback = (host: string): boolean => loopback.test(host)

/** Addresses of private networks and of links, IPv4 and IPv6. */
const privateAddress =
  /^(0|10|127)\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\.|^192\.168\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|^\[(::1?\]|f[cd]|fe[89ab])/i

/** Names that no public server of names knows. */
const privateName = /^[^.:[]+$|\.(localhost|local|internal|lan|home|home\.arpa|test|invalid)$/i

/** Whether a host, as it stands in a URL, is out of reach from elsewhere. */
export const isPrivateHost = (host: string): boolean =>
  isLoopback(host) || privateAddress.test(host) || privateName.test(host)
