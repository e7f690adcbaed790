// The command `check` behind its door: probes a server, runs the cases, reports.

import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CheckOptions } from '../../spec/check.ts'
import type { Place } from '../../spec/language.ts'
import { openGateway } from './gateway/target.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { NotMeasured, probe } from './probe.ts'
import { allCases } from './registry.ts'
import { runCases } from './run-cases.ts'
import { type CheckedServer, openTarget } from './target.ts'

type Io = {
  readonly stdout: { write: (text: string) => unknown }
  readonly stderr: { write: (text: string) => unknown }
}

/** Whether a glob selects a rule: by its id, or by its area. */
const isSelected = (id: string, glob: string): boolean =>
  new RegExp(`^${glob.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(id) ||
  id.split('/')[0] === glob

/** Asks a server what it is, and opens it. */
async function openServer(
  options: CheckOptions,
  ledger: Ledger,
): Promise<{ readonly place: Place; readonly server: CheckedServer }> {
  if (options.gateway !== undefined)
    return { place: 'gateway', server: (await openGateway(options, options.gateway)).server }
  const target = await probe(options)
  return { place: target.deployment, server: openTarget(target, options, ledger) }
}

/** Judges a server; resolves to the exit code. */
export async function runCheck(options: CheckOptions, { stdout, stderr }: Io): Promise<number> {
  try {
    const ledger = openLedger(join(tmpdir(), `flowdouble-check-${process.pid}.ndjson`))
    const { place, server } = await openServer(options, ledger)
    const cases = (await allCases()).filter(
      ({ place: at, ids }) =>
        at === place &&
        !ids[0]?.startsWith('quirks/') &&
        (options.select.length === 0 ||
          ids.some((id) => options.select.some((one) => isSelected(id, one)))),
    )
    const counts: Record<string, number> = {}
    const startMs = performance.now()
    for await (const event of runCases(cases, server, () => 'flowdouble check')) {
      counts[event.verdict] = (counts[event.verdict] ?? 0) + 1
      if (event.verdict === 'skip')
        counts[`skip ${event.reason}`] = (counts[`skip ${event.reason}`] ?? 0) + 1
      stdout.write(`${JSON.stringify(event)}\n`)
    }
    stderr.write(
      `${JSON.stringify({ ...counts, runs: server.runs(), seconds: (performance.now() - startMs) / 1000 })}\n`,
    )
    rmSync(ledger.file, { force: true })
    return counts['fail'] ? 1 : 0
  } catch (error) {
    if (!(error instanceof NotMeasured)) throw error
    stderr.write(`${error.message}\n`)
    return 5
  }
}
