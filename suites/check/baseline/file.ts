// Reads and writes baseline files. Errors state file, line and column.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { LineCounter, parseDocument } from 'yaml'
import { type Baseline, baselineSchema } from '../../../spec/baseline.ts'
import { replaceFile } from '../output/replace-file.ts'
import { wrongUse } from '../usage.ts'
import { clipped, oneLine } from '../output/text.ts'

/** The largest file that is read. */
const MAX_BYTES = 16 * 2 ** 20

export const emptyBaseline: Baseline = { version: 1, failures: [] }

/** The baseline in a file. Throws an error with the code USAGE if it cannot be used. */
export function loadBaseline(file: string): Baseline {
  return parseBaseline(readBaselineText(file), file)
}

function readBaselineText(file: string): string {
  try {
    const found = statSync(file)
    if (!found.isFile()) throw new Error('it is not a regular file')
    if (found.size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`)
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    const hint = existsSync(file) ? '' : ' Create it with: --update-baseline'
    throw wrongUse(`Cannot read the baseline ${oneLine(file)}: ${(error as Error).message}.${hint}`)
  }
}

/** The baseline in a text. JSON is read as YAML, which contains it, to learn where its members stand. */
export function parseBaseline(text: string, file: string): Baseline {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const wrongAt = (offset: number, message: string): Error => {
    const { line, col } = lines.linePos(offset)
    const place = `${file}:${Math.max(1, line)}:${Math.max(1, col)}`
    return wrongUse(`${oneLine(place)}: ${clipped(oneLine(message), 300)}`)
  }
  const [error] = document.errors
  if (error !== undefined) throw wrongAt(error.pos[0], `not valid JSON: ${error.message}`)
  const value: unknown = document.toJS({ maxAliasCount: 0 })
  const fits = new Ajv2020({ strict: false }).compile<Baseline>(baselineSchema)
  if (fits(value)) return value
  const [first] = fits.errors ?? []
  const path = pathOf(first)
  const node = document.getIn(path, true) as { readonly range?: readonly [number] } | undefined
  throw wrongAt(node?.range?.[0] ?? 0, `${pathText(path) || 'the baseline'} ${problemOf(first)}`)
}

/** The lines on which the failures of a baseline file begin. */
export function linesOfFailures(file: string): readonly (number | undefined)[] {
  const lines = new LineCounter()
  const document = parseDocument(readBaselineText(file), { lineCounter: lines })
  const { failures } = document.toJS() as Baseline
  return failures.map((_, at) => {
    const node = document.getIn(['failures', at], true) as { readonly range?: readonly [number] }
    return node.range && lines.linePos(node.range[0]).line
  })
}

type Path = readonly (string | number)[]

/** What an error adds to its message: the member that does not belong there, or the values that do. */
type Params = {
  readonly additionalProperty?: string
  readonly allowedValue?: number
  readonly allowedValues?: readonly string[]
}

/** The place that an error names, with the member that does not belong there. */
function pathOf(error: ErrorObject | undefined): Path {
  const parts = (error?.instancePath ?? '').split('/').slice(1)
  const path = parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part))
  const { additionalProperty } = (error?.params ?? {}) as Params
  return additionalProperty === undefined ? path : [...path, additionalProperty]
}

const pathText = (path: Path): string =>
  path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join('')

function problemOf(error: ErrorObject | undefined): string {
  const { additionalProperty, allowedValue, allowedValues } = (error?.params ?? {}) as Params
  if (additionalProperty !== undefined) return 'is not a member of a baseline'
  if (allowedValue !== undefined) return `must be ${allowedValue}`
  if (allowedValues !== undefined) return `must be one of ${allowedValues.join(', ')}`
  if (error?.schemaPath.includes('anyOf')) return 'must have a title or a rule'
  return error?.message ?? 'is not valid'
}

/** Replaces a baseline file. */
export function saveBaseline(file: string, baseline: Baseline): void {
  replaceFile('the baseline', file, `${JSON.stringify(baseline, null, 2)}\n`)
}
