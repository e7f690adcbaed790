// Extra data that a saving node cannot write into its file: Python expects an object [files/odd-metadata].

import { isObject, type Json, readJson } from '../../lib/json.ts'
import { isTruthy, lacksAttribute, pythonTypeName, wrongIndex } from '../../lib/python.ts'
import type { Failure } from '../state/nodes.ts'

/** Finds an `extra_pnginfo` that is neither an object nor null, in nearly every text without parsing it. */
const ODD_INFO = /"extra_pnginfo"\s*:\s*[^\s{n]/

/** The failure of a node that saves with this extra data; undefined if it can. */
export function metadataFailure(
  extraDataText: string,
  class_type: string,
  nodesOf2026: boolean,
): Failure | undefined {
  if (!ODD_INFO.test(extraDataText)) return undefined
  const extra = readJson(extraDataText)
  const info = (isObject(extra) ? extra.get('extra_pnginfo') : null) ?? null
  if (info === null || isObject(info)) return undefined
  if (nodesOf2026 && class_type === 'SaveAnimatedWEBP') return lacking(info, 'items')
  if (nodesOf2026 && class_type === 'SaveAnimatedPNG' && !isTruthy(info)) return undefined
  if (typeof info === 'string') return ofText(info, class_type)
  if (Array.isArray(info)) return ofItem(info[0], class_type)
  return failure('TypeError', `'${pythonTypeName(info)}' object is not iterable`)
}

const failure = (exception_type: string, exception_message: string): Failure => ({
  exception_type,
  exception_message,
})

const lacking = (value: Json, attribute: string): Failure =>
  failure('AttributeError', lacksAttribute(pythonTypeName(value), attribute))

function ofText(info: string, class_type: string): Failure | undefined {
  if (info === '') return undefined
  return class_type === 'SaveVideo'
    ? failure('ValueError', 'dictionary update sequence element #0 has length 1; 2 is required')
    : failure('TypeError', wrongIndex('str', 'str'))
}

/** Of an array by its first item; undefined if it is empty. */
function ofItem(item: Json | undefined, class_type: string): Failure | undefined {
  if (item === undefined) return undefined
  if (class_type === 'SaveVideo')
    return failure(
      'TypeError',
      'cannot convert dictionary update sequence element #0 to a sequence',
    )
  if (class_type === 'SaveAnimatedPNG' && typeof item !== 'string') return lacking(item, 'encode')
  const type = pythonTypeName(item)
  return type === 'int'
    ? failure('IndexError', 'list index out of range')
    : failure('TypeError', wrongIndex('list', type))
}
