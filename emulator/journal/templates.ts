// Compares texts and values with templates of the spec, in which `{name}` stands for anything.

const placeholder = /\{\w+\}/

/** Whether a text is a template with its placeholders filled in. */
export function fitsText(template: string, text: string): boolean {
  const [first = '', ...others] = template.split(placeholder)
  if (others.length === 0) return text === template
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of others.slice(0, -1)) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  const last = others.at(-1) ?? ''
  return text.length - last.length >= at && text.endsWith(last)
}

/** Whether a JSON value has the members of a template; a text that is one placeholder fits any value but objects. */
export function fitsTemplate(template: unknown, value: unknown): boolean {
  if (typeof template === 'string')
    return typeof value === 'string'
      ? fitsText(template, value)
      : value !== undefined && typeof value !== 'object' && /^\{\w+\}$/.test(template)
  if (typeof template !== 'object' || template === null) return template === value
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(template).every(([name, part]) =>
    fitsTemplate(part, (value as Readonly<Record<string, unknown>>)[name]),
  )
}
