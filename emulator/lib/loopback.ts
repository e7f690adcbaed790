// Which addresses and names stand for this machine alone.

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\]|::ffff:127(\.\d{1,3}){3})$/i

/** Whether an address or a name stands for this machine alone. */
export const isLoopback = (host: string): boolean => loopback.test(host)
