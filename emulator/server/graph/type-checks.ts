// What node types check themselves before a run: files that must exist, and values that must fit together.

import { isObject, type Json, type JsonObject, numberOf } from '../../lib/json.ts'
import { lacksAttribute, pythonTypeName, wrongIndex } from '../../lib/python.ts'
import { fileInputOf, isWebAddress, namedFile, namesFolder } from '../world/named-files.ts'
import { linkOf, unwrap } from './graph.ts'
import { type NodeError, type PythonException, refusedByType } from './node-errors.ts'
import type { NodeType } from '../state/nodes.ts'
import type { World } from '../state/world.ts'

/** Whether a type checks the values of an input itself, so that its declaration does not limit them. */
export function limitsItself(class_type: string, input: string): boolean {
  const file = fileInputOf(class_type)
  if (file?.name === input && file.what !== undefined) return true
  return class_type === CAMERA && movements.includes(input)
}

/** The exception for looking up an input in a text or an array; undefined for an object, and where there is nothing. */
export function unreadableInputs(inputs: Json | undefined): PythonException | undefined {
  const isText = typeof inputs === 'string'
  if (!(isText || Array.isArray(inputs)) || inputs.length === 0) return undefined
  return { type: 'TypeError', text: wrongIndex(isText ? 'str' : 'list', 'str') }
}

/** The errors of what the type checks itself, or the exception that its check raises. */
export function refusedByItsType(
  world: World,
  type: NodeType,
  found: Json | undefined,
): readonly NodeError[] | PythonException {
  const inputs = isObject(found) ? found : undefined
  if (type.class_type === CAMERA) return unreadableInputs(found) ?? refusedMovements(type, inputs)
  const input = fileInputOf(type.class_type)
  if (input?.what === undefined) return none
  const unreadable = unreadableInputs(found)
  if (unreadable !== undefined) return unreadable
  const given = inputs?.get(input.name)
  if (given === undefined) return missingArguments(type, [input.name])
  const value = argument(given)
  if (typeof value !== 'string')
    return { type: 'AttributeError', text: lacksAttribute(pythonTypeName(value), 'endswith') }
  // The run fails later, when the file cannot be fetched [runs/image-download-error], or because it is a folder.
  const { takesWebAddresses } = world.setup.traits
  if (takesWebAddresses && input.what === 'image' && isWebAddress(value)) return none
  if (namedFile(world, value) !== undefined || namesFolder(world, value)) return none
  return [refusedByType(input.name, `Invalid ${input.what} file: ${value}`)]
}

const none: readonly NodeError[] = []

/** The value that a check receives: that of a link is not known yet. */
const argument = (given: Json): Json => (linkOf(given) === undefined ? unwrap(given) : null)

const CAMERA = 'KlingCameraControls'
const movements = ['horizontal_movement', 'vertical_movement', 'pan', 'tilt', 'roll', 'zoom']

/** A camera must move in one direction at least. What follows the first such movement is not read. */
function refusedMovements(
  type: NodeType,
  inputs: JsonObject | undefined,
): readonly NodeError[] | PythonException {
  const missing = movements.filter((name) => !inputs?.has(name))
  if (missing.length > 0) return missingArguments(type, missing)
  for (const name of movements) {
    const value = argument(inputs?.get(name) as Json)
    const number = typeof value === 'boolean' ? Number(value) : numberOf(value)
    if (number === undefined)
      return { type: 'TypeError', text: `must be real number, not ${pythonTypeName(value)}` }
    if (number !== 0) return none
  }
  const text = 'Invalid camera control configs: at least one of the values must be non-zero'
  return movements.map((name) => refusedByType(name, text))
}

/** Types that use the check of another type. */
const checkedBy: Readonly<Record<string, string>> = {
  LoadImageOutput: 'LoadImage',
  WebcamCapture: 'LoadImage',
}

function missingArguments(
  { class_type, newStyle }: NodeType,
  names: readonly string[],
): PythonException {
  const check = newStyle ? 'validate_inputs' : 'VALIDATE_INPUTS'
  const owner = checkedBy[class_type] ?? class_type
  const text = `${owner}.${check}() missing ${listed(names)}`
  return { type: 'TypeError', text }
}

/** Missing arguments as Python lists them. */
function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`)
  const last = quoted.pop()
  if (quoted.length === 0) return `1 required positional argument: ${last}`
  const comma = quoted.length > 1 ? ',' : ''
  return `${names.length} required positional arguments: ${quoted.join(', ')}${comma} and ${last}`
}
