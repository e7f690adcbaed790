// The checks of a node by the rules of a scenario, as if the node itself validated its inputs [scenario/node-validate], and
// those of the one real type that checks the types of its links [workflows/own-types].

import type { NodeCheck, NodeRule } from '../../../spec/scenario/nodes.ts'
import { containsMatch, type SearchBudget } from '../../regex/patterns.ts'
import { isObject, type Json, type JsonObject, numberOf } from '../../lib/json.ts'
import { pythonEquals, pythonText } from '../../lib/python.ts'
import { jsonOf } from '../behaviours/scripted-values.ts'
import { nodeScript } from '../nodes/script.ts'
import { linkOf, outputType } from './graph.ts'
import { type NodeError, refusedByType } from './node-errors.ts'
import type { NodeType } from '../state/nodes.ts'
import type { World } from '../state/world.ts'

/** The checks for a node of the run that a submit would start: by a rule, else those of its type. */
export function checksFor(world: World, id: string, class_type: string): readonly NodeCheck[] {
  const own = class_type === CONVERSION ? conversionChecks : none
  if (world.script.nodes.length === 0) return own
  const script: NodeRule | undefined = nodeScript(world, world.state.nextSerial + 1, id, class_type)
  return script?.validate ?? own
}

const none: readonly NodeCheck[] = []

const CONVERSION = 'TripoConversionNode'
const conversionChecks: readonly NodeCheck[] = [
  {
    input: 'original_model_task_id',
    types: ['MODEL_TASK_ID', 'RIG_TASK_ID', 'RETARGET_TASK_ID'],
    message: 'original_model_task_id must be MODEL_TASK_ID, RIG_TASK_ID or RETARGET_TASK_ID type',
  },
]

/** Whether the declaration of an input does not limit its literals: the node checks them itself. */
export const checksLiteral = (checks: readonly NodeCheck[], input: string): boolean =>
  checks.some((check) => check.input === input && check.types === undefined)

/** Whether links of any type are allowed, since the node checks their types itself. */
export const checksTypes = (checks: readonly NodeCheck[]): boolean =>
  checks.some(({ types }) => types !== undefined)

/** The errors of the first check that fails: one for each input that the checks name, as on real servers. */
export function failedChecks(
  checks: readonly NodeCheck[],
  inputs: JsonObject,
  types: ReadonlyMap<string, NodeType>,
  searched: SearchBudget,
): readonly NodeError[] {
  for (const check of checks) {
    const wrong = wrongValue(check, inputs.get(check.input), types, searched)
    if (wrong === undefined) continue
    const text = check.message?.replaceAll('{value}', () => wrong) ?? null
    return namedBy(checks, inputs).map((name) => refusedByType(name, text))
  }
  return []
}

/** The names of the inputs that the checks receive; a check of link types receives them all in one. */
const namedBy = (checks: readonly NodeCheck[], inputs: JsonObject): readonly string[] => {
  const literals = [...inputs.keys()].filter((name) => checksLiteral(checks, name))
  return checksTypes(checks) ? [...literals, 'input_types'] : literals
}

/** The value that fails a check, as text; undefined if it passes. The value of a link is not known yet, only its type. */
function wrongValue(
  check: NodeCheck,
  given: Json | undefined,
  types: ReadonlyMap<string, NodeType>,
  searched: SearchBudget,
): string | undefined {
  if (given === undefined) return undefined
  const link = linkOf(given)
  if (link === undefined)
    return check.types === undefined && !fitsLiteral(check, given, searched)
      ? pythonText(given)
      : undefined
  if (check.types === undefined) return undefined
  const type = types.get(link.source)
  const received = type === undefined ? '' : outputType(type, link.index)
  const name = typeof received === 'string' ? received : 'COMBO'
  return check.types.includes(name) ? undefined : name
}

/** Whether a literal passes a check, in the meaning of JSON Schema, but that patterns are Python's. */
function fitsLiteral(check: NodeCheck, value: Json, searched: SearchBudget): boolean {
  const { type, minimum = -Infinity, maximum = Infinity, enum: words, pattern } = check
  if (type !== undefined && !isOfType(type, value)) return false
  if (words !== undefined && !words.some((word) => pythonEquals(jsonOf(word), value))) return false
  const number = typeof value === 'boolean' ? undefined : numberOf(value)
  if (number !== undefined && (number < minimum || number > maximum)) return false
  return (
    pattern === undefined || typeof value !== 'string' || containsMatch(pattern, value, searched)
  )
}

function isOfType(type: NonNullable<NodeCheck['type']>, value: Json): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'string' || type === 'boolean') return typeof value === type
  const number = typeof value === 'boolean' ? undefined : numberOf(value)
  return type === 'integer' ? Number.isInteger(number) : number !== undefined
}
