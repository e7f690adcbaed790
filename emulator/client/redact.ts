// Removes the user's secrets from everything that is printed or returned.

export type Redact = <T>(value: T) => T

/**
 * A function that copies plain data and replaces each secret in its texts by `***`. Ignores empty
 * texts.
 */
export function redactor(secrets: readonly string[]): Redact {
  const found = secrets.filter((secret) => secret !== '').sort((a, b) => b.length - a.length)
  const redactText = (text: string) =>
    found.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
  const redactValue = (value: unknown): unknown => {
    if (typeof value === 'string') return redactText(value)
    if (Array.isArray(value)) return value.map(redactValue)
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([key, inner]) => [key, redactValue(inner)])
    return Object.fromEntries(entries) as unknown
  }
  return <T>(value: T) => (found.length === 0 ? value : (redactValue(value) as T))
}
