// Labels of jobs [v2-jobs/labels]: fixed by the submit, and filters of the list.

import { labelKeyPattern, labelLimits } from '../../../spec/v2/v2-jobs.ts'
import { copyText, isObject, type Json } from '../../lib/json.ts'
import type { Labels } from '../state/v2.ts'

const keyPattern = new RegExp(labelKeyPattern)
// Control characters, and those that change the direction of a text.
const forbidden = /[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/

const isKey = (key: string): boolean => keyPattern.test(key)
const isValue = (value: Json): value is string =>
  typeof value === 'string' &&
  new TextEncoder().encode(value).length <= labelLimits.valueBytes &&
  !forbidden.test(value)

/** The labels of a submit, or what is wrong with them. */
export function readLabels(given: Json | undefined): Labels | string {
  if (given === undefined || given === null) return {}
  if (!isObject(given)) return 'metadata is an object of texts.'
  if (given.size > labelLimits.pairs) return `metadata has at most ${labelLimits.pairs} labels.`
  const labels: [string, string][] = []
  for (const [key, value] of given) {
    if (!isKey(key)) return `This key of metadata is not valid: ${JSON.stringify(key)}`
    if (!isValue(value)) return `The value of this label is not valid: ${key}`
    labels.push([key, copyText(value)])
  }
  return Object.fromEntries(labels)
}

/** The filters in a query, or what is wrong with them. */
export function readFilters(query: string): Labels | string {
  if (query.includes(';')) return 'A semicolon in a query has to be escaped.'
  const filters: [string, string][] = []
  for (const pair of query.split('&')) {
    const cut = pair.indexOf('=')
    const name = decoded(cut < 0 ? pair : pair.slice(0, cut))
    const value = decoded(cut < 0 ? '' : pair.slice(cut + 1))
    if (name === undefined || value === undefined) return 'An escape in the query is not valid.'
    const key = /^metadata\[(.*)\]$/s.exec(name)?.[1]
    if (key === undefined) continue
    if (!isKey(key) || !isValue(value)) return 'A filter is metadata[key]=value with a valid label.'
    if (filters.some(([one]) => one === key)) return `A label is named twice: ${key}`
    filters.push([key, value])
  }
  if (filters.length > labelLimits.filters)
    return `A list takes at most ${labelLimits.filters} filters.`
  return Object.fromEntries(filters)
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** Whether labels have these values. */
export const matchesFilters = (labels: Labels, filters: Labels): boolean =>
  Object.entries(filters).every(
    ([key, value]) => Object.hasOwn(labels, key) && labels[key] === value,
  )
