// Compares credentials in constant time.

/** Compares every character, whether or not an earlier one differs. */
export function isEqual(offered: string, secret: string): boolean {
  let difference = offered.length ^ secret.length
  for (let at = 0; at < offered.length; at++) {
    difference |= offered.charCodeAt(at) ^ secret.charCodeAt(at % secret.length)
  }
  return difference === 0
}
