// How results are shown: a line each on the terminal, and the tables of recordings/clients.md.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const file = join(root, 'recordings/clients.md')

const failed = ({ checks }) =>
  checks
    .filter(({ ok }) => !ok)
    .map(({ check, detail }) => `${check}: ${detail.replaceAll(/\s+/g, ' ')}`)

/** What the terminal shows of one result. */
export function line(result) {
  const head = `${result.state.padEnd(8)}${result.name} ${result.version}`
  if (result.drop !== undefined) return `${head}  ${result.drop}`
  const passed = result.checks.filter(({ ok }) => ok).map(({ check }) => check)
  const rest = failed(result).map((text) => `\n          ${text}`)
  const output = result.output === '' ? '' : `\n${result.output.replaceAll(/^/gm, '        | ')}`
  return `${head}  ${passed.join(', ')}${rest.join('')}${output}`
}

/** The last line of the terminal. */
export const summary = (results) => {
  const count = (state) => results.filter((result) => result.state === state).length
  const checks = results.flatMap((result) => result.checks).filter(({ ok }) => ok).length
  const parts = [`${count('passes')} clients pass ${checks} checks`, `${count('fails')} fail`]
  return [...parts, `${count('dropped')} dropped`, `${count('absent')} not installed`].join(', ')
}

const row = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
const table = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

const generationOf = ({ generation = 'local' }) => generation

const checksOf = (result) => {
  const passed = result.checks.filter(({ ok }) => ok).map(({ check }) => check)
  return [passed.join(', '), ...failed(result).map((text) => `**${text}**`)].join('; ')
}

/** The rows about what a client does not do or needs, with the reasons from its code. */
const notes = (results, key) =>
  results.flatMap((result) =>
    Object.entries(result[key] ?? {}).map(([what, why]) => [result.name, what, why]),
  )

/** What a test suite of a client does on the double. */
const suiteText = ({ name, version, passed, leftOut, wrong }) =>
  `${passed} tests of the suite of ${name} ${version} pass on a server of ours in place of its stub server
([suites/clients/sdk-suite](../suites/clients/sdk-suite)): what a test sets becomes a scenario, what it reads comes from the
requests received. Those that call a server of the vendor, which cost credits there, are among them.

${table(['Left out', 'Why'], [...leftOut.map(([why, count]) => [`${count}`, why]), ...wrong.map((one) => ['**wrong**', one])])}`

const text = (results, suite) => {
  const driven = results.filter(({ drop }) => drop === undefined)
  const dropped = results.filter(({ drop }) => drop !== undefined)
  return `# Client programs that run on flowdouble

\`npm run clients\` writes this page. It installs each program, runs its driver in
[suites/clients](../suites/clients) against a fresh server, and compares what the client reports with the log of that
server. A driver knows the address of its server and a key, and nothing else about it. The versions of the clients are
fixed; what they depend on is as their packages allow.

${table(
  ['Client', 'Version', 'From', 'Checks that pass', 'Generation', 'Quirks and options'],
  driven.map((one) => [
    one.name,
    one.version,
    one.from,
    checksOf(one),
    generationOf(one),
    Object.keys(one.needs ?? {})
      .map((option) => `\`${option}\``)
      .join(', '),
  ]),
)}

## Options that clients need, and why

${table(['Client', 'Option', 'Why'], notes(driven, 'needs'))}

## What clients do not do

A check that the driver skips, or where the client does less than one would expect. The reasons are in the code of the
client, and hold on any server.

${table(['Client', 'Check', 'Reason'], [...notes(driven, 'skips'), ...notes(driven, 'notes')])}

## What the server does not have

Requests of the clients above that receive 404, 405 or 501: for paths of newer servers or of extensions, or for what is
not there yet.

${table(
  ['Client', 'Request'],
  driven.flatMap(({ name, lacking = [] }) => lacking.map((request) => [name, `\`${request}\``])),
)}

## The test suite of a client

${suiteText(suite)}

## Programs that are not driven

${table(
  ['Client', 'Version', 'Reason'],
  dropped.map(({ name, version, drop }) => [name, version, drop]),
)}
`
}

/** Writes the page, as the formatter of this repository does. */
export function writeTable(results, suite) {
  writeFileSync(file, text(results, suite))
  execFileSync(join(root, 'node_modules/.bin/oxfmt'), [file])
}
