// Converts literal inputs to their declared types like Python, and validates them against the declaration.

import { isObject, type Json, type JsonObject, numberOf } from '../../lib/json.ts'
import { currentInput, listsModels } from '../nodes/catalog.ts'
import { fileChoices, fileInputOf, isWebAddress, namedFile } from '../world/named-files.ts'
import { linkOf } from './graph.ts'
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
} from '../../lib/python.ts'
import type { DeclaredInput, NodeType } from '../state/nodes.ts'
import type { World } from '../state/world.ts'

/**
 * The value of a literal after conversion, and what is wrong with it. A literal that cannot be converted stays as it
 * is. The declaration does not limit one that its type checks itself (`isUnlimited`).
 */
export function checkLiteral(
  world: World,
  type: NodeType,
  input: DeclaredInput,
  given: Json,
  isUnlimited: boolean,
): { readonly value: Json; readonly error?: NodeError } {
  const unwrapped =
    isObject(given) && given.has('__value__') ? (given.get('__value__') as Json) : given
  const conversion = convert(world, input, unwrapped)
  if ('failure' in conversion) {
    return { value: given, error: errors.conversionFailed(input, unwrapped, conversion.failure) }
  }
  const { value } = conversion
  // Types with a specific check skip the comparison with the declaration.
  const file = fileInputOf(type.class_type)
  const isFile = file?.name === input.name
  const declared =
    isFile && Array.isArray(input.type)
      ? { ...input, type: fileChoices(world, file) }
      : currentInput(world, type, input)
  const checksItself = isUnlimited || (isFile && file.what !== undefined)
  const error = checksItself ? undefined : outside(world, declared, value)
  return error === undefined ? { value } : { value, error }
}

function outside(world: World, input: DeclaredInput, value: Json): NodeError | undefined {
  const min = input.options.get('min')
  const max = input.options.get('max')
  if (min !== undefined && compareNumbers(value, min) < 0) {
    return errors.outOfBounds('value_smaller_than_min', input, value, min)
  }
  if (max !== undefined && compareNumbers(value, max) > 0) {
    return errors.outOfBounds('value_bigger_than_max', input, value, max)
  }
  const options = optionsOf(world, input)
  if (options === undefined) return undefined
  const values = Array.isArray(value) && input.options.get('multiselect') === true ? value : [value]
  const bad = values.filter((one) => !errors.isListed(options, one))
  const anyModel = world.setup.options.models === 'any' && listsModels(options)
  if (bad.length === 0 || anyModel) return undefined
  return world.setup.traits.checksNewCombos
    ? errors.noneInList(input, value, bad, options)
    : errors.notInList(input, value, options)
}

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

/** Types that load a file reject a name without a file, and crash on values that cannot be a name. */
export function refusedByItsType(
  world: World,
  type: NodeType,
  inputs: JsonObject | undefined,
): NodeError | PythonException | undefined {
  const input = fileInputOf(type.class_type)
  if (input?.what === undefined) return undefined
  const given = inputs?.get(input.name)
  if (given === undefined) return missingArgument(type, input.name)
  // The value of a link is not known yet: such a check receives None.
  const value = linkOf(given) === undefined ? given : null
  if (typeof value !== 'string') {
    const text = `'${pythonTypeName(value)}' object has no attribute 'endswith'`
    return { type: 'AttributeError', text }
  }
  // The run fails later, when the file cannot be fetched [runs/image-download-error].
  const { takesWebAddresses } = world.setup.traits
  if (takesWebAddresses && input.what === 'image' && isWebAddress(value)) return undefined
  if (namedFile(world, value) !== undefined) return undefined
  return errors.refusedByType(input.name, `Invalid ${input.what} file: ${value}`)
}

/** Types that use the check of another type. */
const checkedBy: Readonly<Record<string, string>> = { LoadImageOutput: 'LoadImage' }

function missingArgument({ class_type, newStyle }: NodeType, name: string): PythonException {
  const check = newStyle ? 'validate_inputs' : 'VALIDATE_INPUTS'
  const owner = checkedBy[class_type] ?? class_type
  const text = `${owner}.${check}() missing 1 required positional argument: '${name}'`
  return { type: 'TypeError', text }
}
