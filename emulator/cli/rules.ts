// The command `rules`: lists the rules of the protocol, and whether a case proves each.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rules } from '../../spec/index.ts'
import type { Basis, Place, Rule } from '../../spec/language.ts'
import { packageFile } from '../config/package-files.ts'
import type { CommandIo } from './lib/io.ts'
import { listCommand } from './lists/list-command.ts'

/** For the judge, whose bundle does not repeat them. @public */
export { areas, rules } from '../../spec/rules.ts'

const help = `Usage: flowdouble rules [--json]

Lists the rules of the protocol, one per line: id, basis, place, whether a case proves it, the
sentence, and the statements it covers. The basis is stated (the documentation says it), observed
(real servers do it) or chosen (this project decided). In a clone, which includes the suites, a
rule is "proved" or "open"; in the package, without suites, it is "-".

Options:
  --json      print one JSON array of objects: id, basis, source, on, says, carries, proved (null
              outside a clone)
  -h, --help  print this help

Examples:
  flowdouble rules
  flowdouble rules | grep ^queue/
`

type RuleEntry = {
  readonly id: string
  readonly basis: Basis
  /** The source of an observed rule; null for other rules. */
  readonly source: string | null
  readonly on: readonly Place[]
  readonly says: string
  readonly carries: readonly string[]
  /** Null without suites. */
  readonly proved: boolean | null
}

/** Runs the command with the arguments after `rules`; returns its exit code. */
export const rulesCommand = (argv: readonly string[], io: CommandIo): number =>
  listCommand('rules', help, argv, io, (isJson) => {
    const listed = listRules(provedRules())
    return isJson ? `${JSON.stringify(listed, null, 2)}\n` : listing(listed)
  })

const listRules = (proved: ReadonlySet<string> | null): readonly RuleEntry[] =>
  Object.entries<Rule>(rules).map(([id, { basis, source = null, on, says, carries = [] }]) => ({
    id,
    basis,
    source,
    on,
    says,
    carries,
    proved: proved && proved.has(id),
  }))

/** The rules that test files name in `proves(...)`; null in the package, which contains no suites. */
function provedRules(): ReadonlySet<string> | null {
  const suites = packageFile('suites')
  let files: readonly string[]
  try {
    files = readdirSync(suites, { recursive: true, encoding: 'utf8' })
  } catch {
    return null
  }
  const cases = files.filter((file) => file.endsWith('.test.ts') && !file.startsWith('house'))
  const ids = cases.flatMap((file) => {
    const calls = readFileSync(join(suites, file), 'utf8').matchAll(
      /\bproves\(\s*(\[[^\]]*\]|'[^']*')/g,
    )
    return [...calls].flatMap(([, named = '']) => named.match(/[^'",[\]\s]+/g) ?? [])
  })
  return new Set(ids)
}

function listing(listed: readonly RuleEntry[]): string {
  const idWidth = Math.max(...listed.map(({ id }) => id.length))
  const lines = listed.map(({ id, basis, on, says, carries, proved }) => {
    const where = on.length > 1 ? 'both' : (on[0] ?? '')
    const mark = proved === null ? '-' : proved ? 'proved' : 'open'
    const facts = carries.length > 0 ? ` [${carries.join(' ')}]` : ''
    return `${id.padEnd(idWidth)}  ${basis.padEnd(8)}  ${where.padEnd(7)}  ${mark.padEnd(6)}  ${says}${facts}`
  })
  const open = listed.filter(({ proved }) => proved === false).length
  const count = `${listed.length} rules${listed[0]?.proved === null ? '' : `, ${open} of them open`}`
  return `${lines.join('\n')}\n\n${count}.\n`
}
