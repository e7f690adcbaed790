// The values that nodes pass on, as Python has them: JSON values, tensors, and objects of classes; and the exceptions
// for a value that a node cannot use.

import type { Json } from '../../lib/json.ts'
import { isObject } from '../../lib/json.ts'
import { lacksAttribute, pythonTypeName, wrongIndex } from '../../lib/python.ts'
import type { FileSource } from '../../pictures/picture.ts'
import { raise } from '../../lib/raised.ts'
import { Tensor } from './tensor.ts'

export type Value = Json | Tensor | Instance | Value[] | ValueMap
/** A Python dict that a node has made, such as a LATENT. A dict of literals is a JSON object. */
export type ValueMap = Map<string, Value>

/** How Python prints an object of a class of this module. */
export const objectText = (module: string, name: string): string =>
  `<${module}.${name} object at 0x7f0000000000>`

/** An object of a class: its name, its members, and how Python prints it. */
export class Instance {
  readonly name: string
  readonly fields: ReadonlyMap<string, Value>
  readonly printed: string
  constructor(name: string, fields: Readonly<Record<string, Value>>, printed?: string) {
    this.name = name
    this.fields = new Map(Object.entries(fields))
    this.printed = printed ?? `<${name} object at 0x7f0000000000>`
  }
}

export const isMap = (value: Value | undefined): value is ValueMap => value instanceof Map

/** The name of the Python type of a value. */
export function typeName(value: Value): string {
  if (value instanceof Tensor) return 'Tensor'
  if (value instanceof Instance) return value.name
  if (Array.isArray(value)) return 'list'
  if (isMap(value)) return 'dict'
  return pythonTypeName(value)
}

/**
 * The first thing that the Python code of a node does with an input. A value of another type fails there, and the
 * exception that clients see names this operation, not the type that the node expected.
 */
export type Use =
  /** `x.shape`, and so on. */
  | `.${string}`
  /** `len(x)`, then `x.shape`. */
  | `len.${string}`
  /** `x[0].shape` */
  | `item.${string}`
  /** `torch.mean(x)`: the name of the function. */
  | `argument:${string}`
  /** `len(x)` */
  | 'len'
  /** `for one in x` */
  | 'iterate'
  /** `for one in x`, then `one[:, 0]`. */
  | 'items'
  /** `x['samples']` */
  | 'key'
  /** `x[0]` */
  | 'index'
  /** `x[:, 0]` */
  | 'slice'

/** Raises the exception for a value that cannot be used this way. */
export function misused(value: Value, use: Use, key = 'samples'): never {
  const type = typeName(value)
  // Python's lists can be copied, and then lack the key.
  if (use === '.copy' && type === 'list') return misused(value, 'key', key)
  if (use.startsWith('.')) return raise('AttributeError', lacksAttribute(type, use.slice(1)))
  if (use.startsWith('argument:')) {
    const name = use.slice('argument:'.length)
    const text = `${name}(): argument 'input' (position 1) must be Tensor, not ${type}`
    return raise('TypeError', text)
  }
  if (use.startsWith('item.')) return misusedItem(value, use.slice('item'.length))
  const isSized = type === 'str' || type === 'dict' || type === 'list'
  if (use.startsWith('len.') && isSized) return misused(value, use.slice(3) as Use, key)
  if (use === 'items' && isSized) return raise('TypeError', wrongIndex('str', 'tuple'))
  if (use === 'items') return misused(value, 'iterate')
  if (use.startsWith('len')) return raise('TypeError', `object of type '${type}' has no len()`)
  if (use === 'iterate') return raise('TypeError', `'${type}' object is not iterable`)
  if (type === 'dict' && isObject(value as Json)) {
    if (use === 'slice') return raise('TypeError', "unhashable type: 'slice'")
    return raise('KeyError', use === 'index' ? '0' : `'${key}'`)
  }
  if (type === 'str' || type === 'list')
    return raise('TypeError', wrongIndex(type, use === 'key' ? 'str' : 'tuple'))
  return raise('TypeError', `'${type}' object is not subscriptable`)
}

/** Raises the exception for a text or a dict whose first item is used as a tensor. */
function misusedItem(value: Value, attribute: string): never {
  if (isMap(value)) return raise('KeyError', '0')
  return misused(value, typeof value === 'string' ? (attribute as Use) : 'index')
}

/** The exception for a function that is called with something else than a tensor: its arguments, and its signatures. */
export function miscalled(
  value: Value,
  name: string,
  more: string,
  signatures: readonly string[],
): never {
  const text = `${name}() received an invalid combination of arguments - got (${typeName(value)}, ${more}), but expected one of:\n`
  return raise('TypeError', text + signatures.map((one) => ` * (Tensor input, ${one})\n`).join(''))
}

/** A file as an input, and the sound that it is encoded from, if a node computes that. */
export class FileBytes extends Instance {
  readonly file: FileSource
  readonly sound: Value | undefined
  constructor(file: FileSource, sound: Value | undefined) {
    super('bytes', {})
    this.file = file
    this.sound = sound
  }
}
