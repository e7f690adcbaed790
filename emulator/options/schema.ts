// Holds values against the JSON Schemas of options, so that what a caller may give stands once: in the schema.

/** The part of JSON Schema that the options use. Other keywords, such as `default` and `description`, check nothing. */
export type Schema = {
  readonly type?: TypeName | readonly TypeName[]
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minLength?: number
  readonly minimum?: number
  readonly minItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  readonly default?: unknown
  readonly description?: string
}

type TypeName = 'string' | 'number' | 'integer' | 'array' | 'object' | 'null'

/**
 * Whether a value is what the schema says. A keyword for another type than that of the value says nothing; of objects
 * only the type is looked at, since readObjects names the member that is wrong.
 */
export function fits(schema: Schema, value: unknown): boolean {
  const { type, enum: words } = schema
  if (words !== undefined && !words.includes(value)) return false
  const types = typeof type === 'string' ? [type] : type
  if (types !== undefined && !types.some((one) => isOf(one, value))) return false
  if (typeof value === 'string') return fitsText(schema, value)
  if (typeof value === 'number') return value >= (schema.minimum ?? -Infinity)
  return !Array.isArray(value) || fitsList(schema, value)
}

const fitsText = ({ pattern, minLength = 0 }: Schema, value: string): boolean =>
  value.length >= minLength && (pattern === undefined || new RegExp(pattern, 'u').test(value))

const fitsList = ({ items, minItems = 0 }: Schema, value: readonly unknown[]): boolean =>
  value.length >= minItems && (items === undefined || value.every((item) => fits(items, item)))

function isOf(type: TypeName, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isPlain(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    case 'string':
      return typeof value === 'string'
  }
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a value has to be instead, as the end of a sentence; nothing where the schema does not say. */
function wanted({ enum: words, description }: Schema): string {
  if (words !== undefined) return `, only ${words.map(String).join(', ')}`
  return description === undefined ? '' : ` (${description})`
}

/**
 * The objects that a list holds, completed with the defaults of their schema, or a sentence that says which of them
 * is wrong and where. No sentence repeats a value: some of them are keys.
 * @param noun what one of them is called.
 */
export function readObjects(
  { items = {}, minItems = 0 }: Schema,
  value: unknown,
  noun: string,
): readonly Readonly<Record<string, unknown>>[] | string {
  if (!Array.isArray(value)) return `a list of ${noun}s is needed`
  if (value.length < minItems) return `a list of at least one ${noun} is needed`
  const { properties = {}, required = [] } = items
  const defaults = Object.entries(properties).flatMap(([name, schema]) =>
    'default' in schema ? [[name, schema.default] as const] : [],
  )
  const read: Readonly<Record<string, unknown>>[] = []
  for (const [index, given] of value.entries()) {
    const where = `${noun} ${index + 1}`
    if (!isPlain(given)) return `${where} is no object`
    const known = Object.entries(given).filter(([, member]) => member !== undefined)
    for (const [name, member] of known) {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (schema === undefined)
        return `${where} has a member that is none of ${Object.keys(properties).join(', ')}`
      if (!fits(schema, member)) return `${where} cannot have that ${name}${wanted(schema)}`
    }
    const missing = required.find((name) => !known.some(([own]) => own === name))
    if (missing !== undefined) return `${where} has no ${missing}`
    read.push(Object.fromEntries([...defaults, ...known]))
  }
  return read
}
