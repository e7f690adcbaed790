// Recognizes the addresses and names that refer to this machine only.

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\]|::ffff:127(\.\d{1,3}){3})$/i

/** Whether an address or a name refers to this machine only. */
export const isLoopback = (host: string): boolean => loopback.test(host)
