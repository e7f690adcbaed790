// Validates a graph: decides whether it can run, and collects the errors of each node [workflows/*].

import { promptErrors } from '../../../spec/server/errors.ts'
import { isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { nodeTypes, passThrough } from '../nodes/catalog.ts'
import type { SearchBudget } from '../../regex/patterns.ts'
import { typeFor } from './dynamic-inputs.ts'
import { linkedIds, outputType, typesMatch } from './graph.ts'
import { checkLiteral, currentDeclaration } from './literals.ts'
import * as errors from './node-errors.ts'
import type { Targets, Verdict } from './verdict.ts'
import { refusedByItsType, unreadableInputs } from './type-checks.ts'
import { linkedInputs, unknownClass } from './unknown-class.ts'
import type { NodeCheck } from '../../../spec/scenario/nodes.ts'
import type { NodeError, PythonException } from './node-errors.ts'
import { checksFor, checksLiteral, checksTypes, failedChecks } from './scripted-checks.ts'
import { pythonRepr, pythonTypeName } from '../../lib/python.ts'
import type { DeclaredInput, NodeType } from '../state/nodes.ts'
import type { World } from '../state/world.ts'

type Validation = {
  readonly world: World
  readonly graph: JsonObject
  readonly types: ReadonlyMap<string, NodeType>
  readonly done: Map<string, { valid: boolean; errors: NodeError[] }>
  /** The outputs that have errors, in the same order. */
  readonly invalid: (readonly [id: string, errors: NodeError[]])[]
  /** Nodes whose validation waits for that of a source: a link back to one of them closes a cycle. */
  readonly open: Set<string>
  readonly coerced: Map<JsonObject, string[]>
  /** What the patterns of scripted checks have taken. */
  readonly searched: SearchBudget
}

/**
 * Validates a graph and converts its literals in place to their declared types.
 * @param targets ids of the only output nodes to run, or null for all.
 */
export function validate(world: World, graph: JsonObject, targets: Targets | null): Verdict {
  const outputs: string[] = []
  const known = nodeTypes(world)
  const types = new Map<string, NodeType>()
  let linked: ReadonlySet<string> | undefined
  for (const [id, node] of graph) {
    const class_type = classTypeOf(node)
    if (class_type === CRASH) return { kind: 'crash' }
    const type = typeof class_type === 'string' ? known.get(class_type) : undefined
    if (type !== undefined) types.set(id, typeFor(type, isObject(node) ? node.get('inputs') : null))
    else if (typeof class_type === 'string' && world.setup.options.unknownNodes === 'accept') {
      linked ??= linkedIds(graph)
      const inputs = linkedInputs(graph, id)
      types.set(id, Object.assign(passThrough(class_type, !linked.has(id)), { inputs }))
    } else return unknownClass(world, id, node, class_type)
    if (!types.get(id)?.outputNode) continue
    if (targets === 'crash') return { kind: 'crash' }
    if (targets === null || targets.has(id)) outputs.push(id)
  }
  if (outputs.length === 0) {
    return { kind: 'refused', error: promptErrors.noOutputs, nodeErrors: new Map() }
  }
  return validateOutputs(
    {
      world,
      graph,
      types,
      done: new Map(),
      invalid: [],
      open: new Set(),
      coerced: new Map(),
      searched: { steps: 0 },
    },
    outputs,
  )
}

/** The real server crashes while it looks for a class_type. */
const CRASH = Symbol('crash')

/** `undefined` if the node has no class_type. */
function classTypeOf(node: Json): Json | undefined | typeof CRASH {
  // Python finds the name in them, and then fails to read its value.
  if (Array.isArray(node) || typeof node === 'string')
    return node.includes('class_type') ? CRASH : undefined
  if (!isObject(node)) return CRASH
  const class_type = node.get('class_type')
  return Array.isArray(class_type) || isObject(class_type) ? CRASH : class_type
}

/**
 * The maximum number of outputs that are listed on nodes in all: on real servers the list grows with the square of the
 * graph.
 */
const MAX_LISTED_OUTPUTS = 100_000

function validateOutputs(validation: Validation, outputs: readonly string[]): Verdict {
  const nodeErrors: Map<
    string,
    { errors: NodeError[]; dependent_outputs: string[]; class_type: Json }
  > = new Map()
  const valid: string[] = []
  const lines: string[] = []
  let listed = 0
  /** The maximum number of invalid nodes with an entry. */
  let noted = 0
  for (const output of outputs) {
    if (!validation.done.has(output)) validateFrom(validation, output)
    const result = validation.done.get(output)
    if (result?.valid) {
      valid.push(output)
      continue
    }
    for (const error of result?.errors ?? []) lines.push(`${error.message}: ${error.details}`)
    // Each failing output is noted on every node found invalid so far, related or not, as on real servers.
    const first = listed < MAX_LISTED_OUTPUTS ? 0 : noted
    for (const [index, [id, found]] of validation.invalid.slice(first).entries()) {
      if (first + index < noted && listed >= MAX_LISTED_OUTPUTS) continue
      listed++
      const entry = nodeErrors.get(id) ?? {
        errors: found,
        dependent_outputs: [],
        class_type: validation.types.get(id)?.class_type ?? null,
      }
      entry.dependent_outputs.push(output)
      nodeErrors.set(id, entry)
    }
    noted = validation.invalid.length
  }
  if (valid.length > 0)
    return { kind: 'valid', outputs: valid, nodeErrors, coerced: validation.coerced }
  const error = Object.assign({}, promptErrors.outputsFailed, { details: lines.join('\n') })
  return { kind: 'refused', error, nodeErrors }
}

/** Real servers recurse, and give up on longer chains; here it limits the work that a hostile graph can cause. */
const MAX_DEPTH = 2000
const tooDeep: PythonException = {
  type: 'RecursionError',
  text: 'maximum recursion depth exceeded',
}

/** A node under validation: the inputs before `next` are done. */
type Visit = {
  readonly id: string
  /** What the node checks itself, by the scenario. */
  readonly checks: readonly NodeCheck[]
  next: number
  valid: boolean
  readonly errors: NodeError[]
}

const visitOf = ({ world, types }: Validation, id: string): Visit => ({
  id,
  checks: checksFor(world, id, types.get(id)?.class_type ?? ''),
  next: 0,
  valid: true,
  errors: [],
})

/**
 * Validates a node after the sources of its links. Uses an explicit stack, since a workflow may be longer than the call
 * stack is deep.
 */
function validateFrom(validation: Validation, output: string): void {
  const stack: Visit[] = [visitOf(validation, output)]
  for (let visit = stack.at(-1); visit !== undefined; visit = stack.at(-1)) {
    const outcome = continueVisit(validation, visit, stack)
    if (typeof outcome === 'string') {
      validation.open.add(visit.id)
      stack.push(visitOf(validation, outcome))
      continue
    }
    stack.pop()
    validation.open.delete(visit.id)
    if (outcome === undefined) {
      recordVerdict(validation, visit.id, visit.valid && visit.errors.length === 0, visit.errors)
    } else breakOff(validation, visit.id, outcome, stack.at(-1))
  }
}

/** An exception replaces the errors of the node; the consumer of the link reports it. */
function breakOff(
  validation: Validation,
  id: string,
  exception: PythonException,
  consumer: Visit | undefined,
): void {
  const input = consumer && validation.types.get(consumer.id)?.inputs[consumer.next]
  const link = consumer && input && inputsOf(validation, consumer.id)?.get(input.name)
  const error =
    input && link !== undefined
      ? errors.brokeOffUpstream(exception, input, link)
      : errors.brokeOff(exception)
  recordVerdict(validation, id, false, [error])
}

function recordVerdict(
  validation: Validation,
  id: string,
  valid: boolean,
  found: NodeError[],
): void {
  validation.done.set(id, { valid, errors: found })
  if (found.length > 0) validation.invalid.push([id, found])
}

function inputsOf(validation: Validation, id: string): JsonObject | undefined {
  const node = validation.graph.get(id)
  const inputs = isObject(node) ? node.get('inputs') : undefined
  return isObject(inputs) ? inputs : undefined
}

/** Continues with a node: returns an id to visit first, an exception, or undefined when it is done. */
function continueVisit(
  validation: Validation,
  visit: Visit,
  stack: readonly Visit[],
): string | PythonException | undefined {
  const node = validation.graph.get(visit.id) as JsonObject
  const type = validation.types.get(visit.id) as NodeType
  if (visit.next === 0) {
    const unusable = unusableInputs(node)
    if (unusable !== undefined) return unusable
  }
  const inputs = inputsOf(validation, visit.id)
  for (; visit.next < type.inputs.length; visit.next++) {
    const input = type.inputs[visit.next] as DeclaredInput
    const value = inputs?.get(input.name)
    const unreadable = unreadableInput(node.get('inputs'), input.name)
    if (unreadable !== undefined) return unreadable
    if (value === undefined) {
      if (input.required) visit.errors.push(errors.missingInput(type, input.name))
    } else if (Array.isArray(value)) {
      const outcome = followLink(validation, visit, input, value, stack)
      if (outcome !== undefined) return outcome
    } else {
      const exception = takeLiteral(validation, visit, type, input, value)
      if (exception !== undefined) return exception
    }
  }
  const refused = refusedByItsType(validation.world, type, node.get('inputs'))
  if ('text' in refused) return refused
  visit.errors.push(...refused)
  if (visit.checks.length > 0 && inputs !== undefined)
    visit.errors.push(...failedChecks(visit.checks, inputs, validation.types, validation.searched))
  return undefined
}

/** Converts a literal in place, and collects its errors; or returns an exception. */
function takeLiteral(
  validation: Validation,
  visit: Visit,
  type: NodeType,
  input: DeclaredInput,
  given: Json,
): PythonException | undefined {
  const isUnlimited = visit.checks.length > 0 && checksLiteral(visit.checks, input.name)
  const { value, error } = checkLiteral(validation.world, type, input, given, isUnlimited)
  if (error !== undefined && 'text' in error) return error
  if (error !== undefined) visit.errors.push(error)
  if (value !== given) storeLiteral(validation, visit.id, input.name, given, value)
  return undefined
}

function storeLiteral(
  validation: Validation,
  id: string,
  name: string,
  given: Json,
  value: Json,
): void {
  const inputs = inputsOf(validation, id)
  if (inputs === undefined) return
  inputs.set(name, value)
  if (pythonRepr(value) === pythonRepr(given)) return
  const names = validation.coerced.get(inputs)
  if (names === undefined) validation.coerced.set(inputs, [name])
  else names.push(name)
}

function unusableInputs(node: JsonObject): PythonException | undefined {
  if (!node.has('inputs')) return { type: 'KeyError', text: "'inputs'" }
  const inputs = node.get('inputs') as Json
  if (isObject(inputs) || Array.isArray(inputs) || typeof inputs === 'string') return undefined
  return { type: 'TypeError', text: `argument of type '${pythonTypeName(inputs)}' is not iterable` }
}

/** Python finds the name in an array or a text, and then cannot read its value. */
const unreadableInput = (inputs: Json | undefined, name: string): PythonException | undefined =>
  (typeof inputs === 'string' || Array.isArray(inputs)) && inputs.includes(name)
    ? unreadableInputs(inputs)
    : undefined

/** Checks a link, and its source. Returns an id if that source must be visited first. */
function followLink(
  validation: Validation,
  visit: Visit,
  input: DeclaredInput,
  link: readonly Json[],
  stack: readonly Visit[],
): string | PythonException | undefined {
  if (link.length !== 2) {
    visit.errors.push(errors.badLink(input, [...link]))
    return undefined
  }
  const [source, index] = link as [Json, Json]
  const type = typeof source === 'string' ? validation.types.get(source) : undefined
  if (Array.isArray(source) || isObject(source))
    return { type: 'TypeError', text: `unhashable type: '${pythonTypeName(source)}'` }
  if (type === undefined || typeof source !== 'string')
    return { type: 'KeyError', text: pythonRepr(source) }
  const received = outputType(type, index)
  if (typeof received === 'object' && 'text' in received) return received
  if (!checksTypes(visit.checks) && !typesMatch(received, input.type)) {
    const own = validation.types.get(visit.id) as NodeType
    const declared = currentDeclaration(validation.world, own, input)
    visit.errors.push(errors.typeMismatch(declared, received, [...link]))
    return undefined
  }
  const known = validation.done.get(source)
  if (known !== undefined) {
    if (!known.valid) visit.valid = false
    return undefined
  }
  if (source !== visit.id && !validation.open.has(source))
    return stack.length < MAX_DEPTH ? source : tooDeep
  noteCycle(validation, visit, source, stack)
  return undefined
}

function noteCycle(
  validation: Validation,
  visit: Visit,
  source: string,
  stack: readonly Visit[],
): void {
  visit.valid = false
  if (validation.world.setup.quirks.has('workflows.bare-graph-errors')) return
  const members = stack.slice(stack.findIndex(({ id }) => id === source))
  const cycle = members.map(({ id }) => ({
    id,
    class_type: validation.types.get(id)?.class_type ?? '',
  }))
  for (const member of members) {
    if (!member.errors.some(({ type }) => type === 'dependency_cycle')) {
      member.errors.push(errors.onCycle(member.id, cycle))
    }
  }
}
