// The rows of the benchmark as lines of a table for people.

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} what
 * @property {number} [value] missing when it could not be measured
 * @property {string} [unit]
 * @property {number} [atLeast]
 * @property {number} [atMost]
 * @property {string} [detail]
 */

/**
 * @param {Row} row
 * @returns {'ok' | 'miss' | 'none' | 'failed'}
 */
export function verdictOf({ value, atLeast, atMost }) {
  if (value === undefined) return 'failed'
  if (atLeast === undefined && atMost === undefined) return 'none'
  return value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity) ? 'ok' : 'miss'
}

const goalOf = ({ atLeast, atMost }) =>
  atLeast !== undefined ? `>= ${atLeast}` : atMost !== undefined ? `<= ${atMost}` : '-'

const shown = (value) => (value === undefined ? '-' : value.toFixed(value < 10 ? 2 : 1))

/** The columns before the last one are as wide as their longest cell: rows are printed before the next ones are known. */
const WIDTHS = [20, 15, 7, 6]

const lineOf = (cells) =>
  cells
    .map((cell, column) => cell.padEnd(WIDTHS[column] ?? 0))
    .join('  ')
    .trimEnd()

export const tableHead = lineOf(['name', 'measured', 'goal', '', 'what'])

/** @param {Row} row */
export const tableLine = (row) =>
  lineOf([
    row.name,
    `${shown(row.value)} ${row.unit ?? ''}`,
    goalOf(row),
    verdictOf(row) === 'none' ? '' : verdictOf(row),
    row.detail === undefined ? row.what : `${row.what} (${row.detail})`,
  ])
