// Converts literal inputs to their declared types like Python, and validates them against the declaration.

import { type Json, numberOf } from '../../lib/json.ts'
import { currentInput, listsModels } from '../nodes/catalog.ts'
import { fileChoices, fileInputOf } from '../world/named-files.ts'
import { unwrap } from './graph.ts'
import { limitsItself } from './type-checks.ts'
import * as errors from './node-errors.ts'
import type { NodeError, PythonException } from './node-errors.ts'
import {
  compareNumbers,
  type Conversion,
  isTruthy,
  pythonText,
  pythonTypeName,
  toFloat,
  toInt,
  pythonEquals,
} from '../../lib/python.ts'
import type { DeclaredInput, NodeType } from '../state/nodes.ts'
import type { World } from '../state/world.ts'

/**
 * The value of a literal after conversion, and what is wrong with it: an error, or the exception that ends the
 * validation. A literal that cannot be converted is only unwrapped. The declaration does not limit one that its type
 * checks itself (`isUnlimited`).
 */
export function checkLiteral(
  world: World,
  type: NodeType,
  input: DeclaredInput,
  given: Json,
  isUnlimited: boolean,
): { readonly value: Json; readonly error?: NodeError | PythonException } {
  const unwrapped = unwrap(given)
  const conversion = convert(world, input, unwrapped)
  if ('failure' in conversion) {
    return {
      value: unwrapped,
      error: errors.conversionFailed(input, unwrapped, conversion.failure),
    }
  }
  const { value } = conversion
  if (isUnlimited || limitsItself(type.class_type, input.name)) return { value }
  const error = outside(world, currentDeclaration(world, type, input), value)
  return error === undefined ? { value } : { value, error }
}

/** The declaration of an input as object_info lists it now: combos include the files of the world. */
export function currentDeclaration(
  world: World,
  type: NodeType,
  input: DeclaredInput,
): DeclaredInput {
  const file = fileInputOf(type.class_type)
  return file?.name === input.name && Array.isArray(input.type)
    ? Object.assign({}, input, { type: fileChoices(world, file) })
    : currentInput(world, type, input)
}

function outside(
  world: World,
  input: DeclaredInput,
  value: Json,
): NodeError | PythonException | undefined {
  const min = input.options.get('min')
  const max = input.options.get('max')
  // A literal of a type that is not converted may be anything.
  const incomparable = min === undefined ? max : min
  if (incomparable !== undefined && !isNumeric(value)) {
    const [own, other] = [pythonTypeName(value), pythonTypeName(incomparable)]
    const sign = min === undefined ? '>' : '<'
    const text = `'${sign}' not supported between instances of '${own}' and '${other}'`
    return { type: 'TypeError', text }
  }
  if (min !== undefined && compareNumbers(value, min) < 0) {
    return errors.outOfBounds('value_smaller_than_min', input, value, min)
  }
  if (max !== undefined && compareNumbers(value, max) > 0) {
    return errors.outOfBounds('value_bigger_than_max', input, value, max)
  }
  const options = optionsOf(world, input)
  if (options === undefined) return undefined
  const values = Array.isArray(value) && input.options.get('multiselect') === true ? value : [value]
  const bad = values.filter((one) => !options.some((option) => pythonEquals(option, one)))
  const anyModel = world.setup.options.models === 'any' && listsModels(options)
  if (bad.length === 0 || anyModel) return undefined
  return world.setup.traits.checksNewCombos
    ? errors.noneInList(input, value, bad, options)
    : errors.notInList(input, value, options)
}

const isNumeric = (value: Json): boolean =>
  typeof value === 'boolean' || numberOf(value) !== undefined

/** The options of a combo; undefined for other inputs, and for combos that accept any value. */
function optionsOf(world: World, { type, options }: DeclaredInput): readonly Json[] | undefined {
  if (Array.isArray(type)) return type
  if (type !== 'COMBO' || !world.setup.traits.checksNewCombos) return undefined
  const declared = options.get('options')
  return Array.isArray(declared) ? declared : undefined
}

function convert(world: World, input: DeclaredInput, value: Json): Conversion {
  switch (input.type) {
    case 'INT':
      return toInt(value)
    case 'FLOAT':
      return world.setup.traits.takesInfinity ? toFloat(value) : finite(toFloat(value))
    case 'STRING':
      return { value: pythonText(value) }
    case 'BOOLEAN':
      return { value: isTruthy(value) }
    default:
      return { value }
  }
}

/** Hosted rejects numbers that JSON cannot represent [workflows/hosted-finite]. */
function finite(conversion: Conversion): Conversion {
  if ('failure' in conversion || Number.isFinite(numberOf(conversion.value))) return conversion
  return { failure: 'a number is finite' }
}
