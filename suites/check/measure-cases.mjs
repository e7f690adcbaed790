// Writes known-cases.json: checks local servers of each generation and a hosted one with everything allowed, and notes of each case how many runs
// it submits, how many files it leaves, and what it needs. Run it after a change of cases: npm run build && node suites/check/measure-cases.mjs

import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startEmulator } from '../../dist/bundle/index.cjs'

const command = join(import.meta.dirname, '../../dist/bundle/main.cjs')
const file = join(import.meta.dirname, 'known-cases.json')
const keys = ['test-key', 'other-key', 'free-key']
const accounts = [
  { user: 'one', keys: [keys[0]] },
  { user: 'two', keys: [keys[1]] },
  { user: 'three', keys: [keys[2]], tier: 'free' },
]
const [key, second, free] = keys
const servers = [
  [{ port: 0, manager: true }, []],
  [
    { port: 0, deployment: 'hosted', accounts },
    ['--key', key, '--second-key', second, '--free-key', free],
  ],
  // Their own cases: those that the first server has run are known.
  [{ port: 0, manager: true, like: 'comfyui-0.27', assets: true }, []],
  [{ port: 0, manager: true, like: 'comfyui-0.33', assets: true }, []],
  [{ port: 0, manager: true, like: 'comfyui-0.38' }, []],
]

/** The events of a check in a separate process, while the server runs in this one. */
async function check(url, flags) {
  const folder = mkdtempSync(join(tmpdir(), 'measure-cases-'))
  const ledger = join(folder, 'ledger.json')
  const args = [command, 'check', url, '--json', '--allow', 'all', '--ledger', ledger, ...flags]
  const { stdout } = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = (await text(stdout)).split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}

const known = {}
for (const [options, flags] of servers) {
  const server = await startEmulator(options)
  const counts = new Map()
  for (const event of await check(server.url, [...flags, '--max-runs', '5000'])) {
    const { rules, place, runs = 0, files = 0, needs: tags = [] } = event
    if (event.event !== 'case') continue
    const name = `${rules.map(({ id }) => id).join(' + ')} [${place}]`
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    if (runs > 0 || files > 0 || tags.length > 0)
      known[count === 1 ? name : `${name} (${count})`] ??= {
        runs,
        ...(files > 0 && { files }),
        tags,
      }
  }
  await server.close()
}
const sorted = Object.fromEntries(Object.entries(known).toSorted(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`)
