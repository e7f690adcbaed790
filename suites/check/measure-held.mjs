// Writes held.json from the events of checks of real servers, each with everything allowed: which observed rules a
// release did not keep, or did not show in any of its checks, as with assets and without. It is judged by all others as if they had been
// observed there. Run it after a change of rules, with all checks of a release at once:
// flowdouble check URL --allow all --max-runs 3000 --json > a.ndjson && node suites/check/measure-held.mjs a.ndjson ...

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Why a case is not judged in one check, and would be in another of the same server. */
const chances = new Set(['budget', 'time', 'busy', 'no-workload', 'not-allowed'])
const file = join(import.meta.dirname, 'held.json')
const held = JSON.parse(readFileSync(file, 'utf8'))
/** What the checks of each release have shown: the rules that it kept, and all with their verdicts. */
const releases = new Map()
for (const name of process.argv.slice(2)) {
  const events = readFileSync(name, 'utf8').trimEnd().split('\n').map(JSON.parse)
  const cases = events.filter(({ event, reason }) => event === 'case' && reason !== 'own-world')
  const untried = cases.filter(({ reason }) => chances.has(reason))
  if (untried.length > 0) throw new Error(`${name} lacks ${untried.length} cases: check again.`)
  const { generation } = events[0].target
  const { kept, others } = releases.get(generation) ?? { kept: new Set(), others: new Set() }
  releases.set(generation, { kept, others })
  for (const { rules, verdict } of cases)
    for (const { id, basis } of rules)
      if (basis === 'observed' && verdict === 'pass') kept.add(id)
      else if (basis === 'observed') others.add(`${verdict} ${id}`)
}
for (const [release, { kept, others }] of releases) {
  const isBroken = (id) => others.has(`fail ${id}`) || others.has(`note ${id}`)
  const ids = new Set([...others].map((one) => one.split(' ')[1]))
  held[release] = [...ids]
    .filter((id) => isBroken(id) || !kept.has(id))
    .toSorted((a, b) => (a < b ? -1 : 1))
}
writeFileSync(file, `${JSON.stringify(held, null, 2)}\n`)
