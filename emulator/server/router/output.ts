// The outputs of models, made from their templates [router-runs/output].

/** A part of a template that stands for the address of a file. */
type MediaPart = { readonly media: string; readonly width?: number; readonly height?: number }

const isPlain = (part: unknown): part is Readonly<Record<string, unknown>> =>
  typeof part === 'object' && part !== null && !Array.isArray(part)

const hasOnly = (part: Readonly<Record<string, unknown>>, ...names: readonly string[]): boolean =>
  Object.keys(part).every((name) => names.includes(name))

const isMedia = (part: Readonly<Record<string, unknown>>): part is MediaPart =>
  typeof part['media'] === 'string' && hasOnly(part, 'media', 'width', 'height')

/** The path of the input whose value a part stands for. */
const inputOf = (part: Readonly<Record<string, unknown>>): string | undefined =>
  typeof part['input'] === 'string' && hasOnly(part, 'input') ? part['input'] : undefined

/** The items of a list that is as long as an input says. */
const isRepeated = (part: unknown): part is { readonly times: string; readonly item: unknown } =>
  isPlain(part) && typeof part['times'] === 'string' && 'item' in part

/** The schema of the output of a template. */
export function outputSchema(template: unknown): object {
  if (Array.isArray(template)) {
    const [first] = template as readonly unknown[]
    if (first === undefined) return { type: 'array' }
    return { type: 'array', items: outputSchema(isRepeated(first) ? first.item : first) }
  }
  if (!isPlain(template)) return template === null ? {} : { type: typeof template }
  if (isMedia(template)) return { type: 'string', format: 'uri' }
  if (inputOf(template) !== undefined) return {}
  const properties = Object.entries(template).map(([name, part]) => [name, outputSchema(part)])
  return { type: 'object', properties: Object.fromEntries(properties) as object }
}
