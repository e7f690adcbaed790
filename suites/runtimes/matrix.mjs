// What runs that try each supported version have in common: the rows to run, and how programs are installed.

import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'

/** The rows whose names contain what --only asks for, by default all; ends the command with 2 for wrong usage. */
export function chosenRows(rows, nameOf) {
  try {
    const { only } = parseArgs({ options: { only: { type: 'string', multiple: true } } }).values
    const chosen = rows.filter((row) => only?.some((text) => nameOf(row).includes(text)) ?? true)
    if (chosen.length > 0) return chosen
    console.error(`There is no such row: ${only.join(', ')}. Rows: ${rows.map(nameOf).join(', ')}.`)
  } catch (error) {
    console.error(`${error.message}\nOptions: --only TEXT.`)
  }
  return process.exit(2)
}

/** Runs programs in a folder, quietly, and returns what they print; ends the command with 5 if one fails. */
export const installerIn =
  (cwd) =>
  (program, ...argv) => {
    try {
      return execFileSync(program, argv, { cwd, encoding: 'utf8', stdio: 'pipe' })
    } catch (error) {
      console.error(`${program} ${argv.join(' ')}: ${error.stderr || error.message}`)
      return process.exit(5)
    }
  }

/** The program of a version of Node, which npm installs. */
export const nodeOf = (install, version) =>
  install('npx', '-y', '-p', `node@${version}`, '-c', 'command -v node').trim()
