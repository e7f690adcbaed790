// The rows of the benchmark as a table for people.

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

/** @param {readonly Row[]} rows */
export function tableOf(rows) {
  const cells = rows.map((row) => [
    row.name,
    `${shown(row.value)} ${row.unit ?? ''}`,
    goalOf(row),
    verdictOf(row) === 'none' ? '' : verdictOf(row),
    row.detail === undefined ? row.what : `${row.what} (${row.detail})`,
  ])
  const lines = [['name', 'measured', 'goal', '', 'what'], ...cells]
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
