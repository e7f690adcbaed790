// Builds the entries of `node_errors`: the texts come from spec/server/errors.ts, the values from the workflow.

import { nodeErrors as words } from '../../../spec/server/errors.ts'
import { type Json, type JsonObject } from '../../lib/json.ts'
import { inputConfig } from '../nodes/catalog.ts'
import { pythonRepr, pythonText } from '../../lib/python.ts'
import type { DeclaredInput, NodeType } from '../state/nodes.ts'

export type NodeError = {
  readonly type: keyof typeof words
  readonly message: string
  readonly details: string
  readonly extra_info: JsonObject
}

const fillTemplate = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')

const build = (
  type: keyof typeof words,
  values: Readonly<Record<string, string>>,
  extra: readonly (readonly [string, Json])[],
): NodeError => ({
  type,
  message: fillTemplate(words[type].message, values),
  details: fillTemplate(words[type].details, values),
  extra_info: new Map(extra),
})

const inputMembers = (input: DeclaredInput): [string, Json][] => [
  ['input_name', input.name],
  ['input_config', inputConfig(input)],
]

/** The details name an input of a new-style type without the one that it depends on [workflows/dynamic-inputs]. */
export const missingInput = ({ newStyle }: NodeType, name: string): NodeError =>
  build(
    'required_input_missing',
    { input: newStyle ? name.slice(name.lastIndexOf('.') + 1) : name },
    [['input_name', name]],
  )

export const badLink = (input: DeclaredInput, value: Json): NodeError =>
  build('bad_linked_input', { input: input.name }, [
    ...inputMembers(input),
    ['received_value', value],
  ])

export const typeMismatch = (
  input: DeclaredInput,
  received: string | Json[],
  link: Json,
): NodeError =>
  build(
    'return_type_mismatch',
    { input: input.name, received: pythonText(received), expected: pythonText(input.type) },
    [...inputMembers(input), ['received_type', received], ['linked_node', link]],
  )

export const conversionFailed = (input: DeclaredInput, value: Json, exception: string): NodeError =>
  build(
    'invalid_input_type',
    { type: pythonText(input.type), input: input.name, value: pythonText(value), exception },
    [...inputMembers(input), ['received_value', value], ['exception_message', exception]],
  )

/** A number outside its declared bounds. */
export function outOfBounds(
  type: 'value_smaller_than_min' | 'value_bigger_than_max',
  input: DeclaredInput,
  value: Json,
  bound: Json,
): NodeError {
  const values = { value: pythonText(value), min: pythonText(bound), max: pythonText(bound) }
  return build(type, { ...values, input: input.name }, [
    ...inputMembers(input),
    ['received_value', value],
  ])
}

/** Long lists are omitted, both from the text and from `input_config`. */
const MAX_PRINTED_OPTIONS = 20

export function notInList(input: DeclaredInput, value: Json, options: readonly Json[]): NodeError {
  const long = options.length > MAX_PRINTED_OPTIONS
  const list = listText(options)
  return build('value_not_in_list', { input: input.name, value: pythonText(value), list }, [
    ['input_name', input.name],
    ['input_config', long ? null : inputConfig(input)],
    ['received_value', value],
  ])
}

const listText = (options: readonly Json[]): string =>
  options.length > MAX_PRINTED_OPTIONS
    ? `(list of length ${options.length})`
    : pythonRepr([...options])

/** The same for each bad value of a later server's combo, as Python writes values. */
export function noneInList(
  input: DeclaredInput,
  value: Json,
  bad: readonly Json[],
  options: readonly Json[],
): NodeError {
  const details = `${input.name}: ${bad.map(pythonRepr).join(', ')} not in ${listText(options)}`
  return { ...notInList(input, value, options), details }
}

/** The error of a check that is specific to a node type. Without a text it names only the input. */
export function refusedByType(input: string, text: string | null): NodeError {
  const error = build('custom_validation_failed', { input, text: text ?? '' }, [
    ['input_name', input],
  ])
  return text === null ? { ...error, details: input } : error
}

/** Never empty on real servers, where it contains file names and line numbers. */
const TRACEBACK = ['  File "flowdouble", in validate_inputs\n'] as const

/** The validation of an output node raised an exception. */
export const brokeOff = (exception: PythonException): NodeError =>
  build('exception_during_validation', { exception: exception.text }, [
    ['exception_type', exception.type],
    ['traceback', [...TRACEBACK]],
  ])

/** The validation of the source of a link raised an exception. */
export const brokeOffUpstream = (
  exception: PythonException,
  input: DeclaredInput,
  link: Json,
): NodeError =>
  build('exception_during_inner_validation', { exception: exception.text }, [
    ...inputMembers(input),
    ['exception_message', exception.text],
    ['exception_type', exception.type],
    ['traceback', [...TRACEBACK]],
    ['linked_node', link],
  ])

export type PythonException = { readonly type: string; readonly text: string }

export const unknownType = (node_id: string, class_type: Json, message: string): NodeError => ({
  ...build('missing_node_type', { node_id }, [
    ['node_id', node_id],
    ['class_type', class_type],
  ]),
  message,
})

/** Longer cycles are truncated: each of their nodes reports the whole cycle. */
const MAX_CYCLE_STEPS = 50

/** A node on a cycle; `whole` contains the nodes from the first one on, with their types. */
export function onCycle(
  node_id: string,
  whole: readonly { id: string; class_type: string }[],
): NodeError {
  const cycle = whole.slice(0, MAX_CYCLE_STEPS)
  const steps = cycle.length < whole.length ? cycle : [...cycle, ...cycle.slice(0, 1)]
  const path = steps.map(({ id, class_type }) => `${id} (${class_type})`).join(' -> ')
  return build('dependency_cycle', { path }, [
    ['node_id', node_id],
    ['cycle_nodes', cycle.map(({ id }) => id)],
  ])
}
