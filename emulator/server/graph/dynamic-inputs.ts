// The inputs that a node declares where they depend on its values [workflows/dynamic-inputs]: those of a chosen option,
// numbered ones, and those of any type.

import { isObject, type Json, type JsonObject, numberOf } from '../../lib/json.ts'
import { pythonText } from '../../lib/python.ts'
import type { DeclaredInput, NodeType } from '../state/nodes.ts'

/** The types of such inputs. */
const CHOICE = 'COMFY_DYNAMICCOMBO_V3'
const SEVERAL = 'COMFY_AUTOGROW_V3'
const ANY = 'COMFY_MATCHTYPE_V3'
const dynamic: ReadonlySet<unknown> = new Set([CHOICE, SEVERAL, ANY])

const MOST_SEVERAL = 100

/** The type of a node with the inputs that it declares for these values. */
export function typeFor(type: NodeType, given: Json | undefined): NodeType {
  if (!type.inputs.some((input) => dynamic.has(input.type))) return type
  const values: JsonObject = isObject(given) ? given : new Map()
  const missing: string[] = []
  const inputs = type.inputs.flatMap((input) => expanded(input, values, missing))
  return Object.assign({}, type, { inputs, missing })
}

/** The inputs that one stands for. Adds the name of a choice without a known option to `missing`. */
function expanded(
  input: DeclaredInput,
  values: JsonObject,
  missing: string[],
): readonly DeclaredInput[] {
  if (input.type === ANY) return [{ ...input, type: '*' }]
  if (input.type === SEVERAL) return several(input, values)
  if (input.type !== CHOICE) return [input]
  const value = values.get(input.name)
  const chosen = { ...input, type: '*' }
  if (Array.isArray(value) && value.length === 2) return [chosen]
  const options = (input.options.get('options') ?? []) as readonly JsonObject[]
  const option = options.find((one) => one.get('key') === value)
  if (option === undefined) {
    if (input.required) missing.push(input.name)
    return []
  }
  const inner = declaredIn(option.get('inputs'), (name) => `${input.name}.${name}`)
  return [chosen, ...inner.flatMap((one) => expanded(one, values, missing))]
}

/** Numbered or named inputs: as many as there must be, and further ones that are given. */
function several({ name, options }: DeclaredInput, values: JsonObject): readonly DeclaredInput[] {
  const template = options.get('template')
  if (!isObject(template)) return []
  const [pattern] = declaredIn(template.get('input'), (one) => one)
  if (pattern === undefined) return []
  const least = numberOf(template.get('min') ?? null) ?? 0
  const most = numberOf(template.get('max') ?? null) ?? MOST_SEVERAL
  const names = template.get('names')
  const prefix = pythonText(template.get('prefix') ?? '')
  const all = Array.isArray(names)
    ? names.map(pythonText)
    : Array.from({ length: most }, (_, at) => `${prefix}${at}`)
  return all
    .map((one, at) => Object.assign({}, pattern, { name: `${name}.${one}`, required: at < least }))
    .filter((one) => one.required || values.has(one.name))
}

/** The inputs in the two groups of a declaration. */
function declaredIn(inputs: Json | undefined, nameOf: (name: string) => string): DeclaredInput[] {
  return (['required', 'optional'] as const).flatMap((group) => {
    const members = isObject(inputs) ? inputs.get(group) : undefined
    return Array.from(isObject(members) ? members : [], ([name, declaration]): DeclaredInput => {
      const [type, options] = declaration as readonly Json[]
      return {
        name: nameOf(name),
        required: group === 'required',
        type: Array.isArray(type) ? type : pythonText(type ?? ''),
        options: isObject(options) ? options : new Map(),
      }
    })
  })
}
