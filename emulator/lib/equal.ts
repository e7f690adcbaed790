// Compares what a client offers with what it should know.

/** Compares in constant time: every character is checked. */
export function isEqual(offered: string, secret: string): boolean {
  let difference = offered.length ^ secret.length
  for (let at = 0; at < offered.length; at++) {
    difference |= offered.charCodeAt(at) ^ secret.charCodeAt(at % secret.length)
  }
  return difference === 0
}
