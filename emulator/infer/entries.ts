// Inferred types in the form of GET /object_info.

import { outputNodeOf } from './output-nodes.ts'
import type { UnknownType } from './types.ts'

/** The entry of a type in the form of GET /object_info. */
export function entryOf({ class_type, inputs, outputs, isOutput }: UnknownType): object {
  const known = outputNodeOf(class_type)
  const group = (isRequired: boolean): object =>
    Object.fromEntries(
      inputs.filter((one) => one.isRequired === isRequired).map(({ name, type }) => [name, [type]]),
    )
  const first = known?.output ?? []
  const output = [...first, ...outputs.slice(first.length)]
  return {
    input: { required: group(true), optional: group(false) },
    output,
    output_node: isOutput,
  }
}
