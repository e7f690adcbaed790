// The command `gateway doctor`: examines a set-up, and says what is wrong with it, why, and how to mend it.

import { type DoctorCheck, doctorChecks } from '../../../spec/gateway/doctor.ts'
import { exitCodes } from '../../../spec/gateway/subscriptions.ts'
import { printable } from '../../client/terminal-text.ts'
import { configDirOf } from '../../config/config-dir.ts'
import { readBaseUrl } from '../../config/settings.ts'
import { usageError } from '../../options/usage.ts'
import type { Flags } from '../lib/command.ts'
import type { CommandIo } from '../lib/io.ts'
import { storeSettings } from './gateway-store.ts'
import { examineSetUp, type Examined } from './doctor-checks.ts'
import { type Finding, skipped } from './findings.ts'

/** Runs the command. */
export async function doctor(flags: Flags, io: CommandIo): Promise<number> {
  if (flags.words.length > 0) throw usageError('gateway doctor takes flags only.')
  const base = flags.text('webhook-base-url')
  const base_url = base === undefined ? undefined : readBaseUrl(base)
  if (base !== undefined && base_url === undefined)
    throw usageError('--webhook-base-url needs an address such as https://hooks.example.')
  const dir = configDirOf(flags.text('config-dir'), io.env, io.cwd)
  const examined: Examined = {
    dir,
    env: io.env,
    quirks: flags.quirks,
    given: { host: flags.text('host'), port: flags.text('port'), base_url },
    sends: flags.text('deliver-url') === undefined,
    store: storeSettings(flags, dir),
    signal: io.signal,
  }
  const offline = await examineSetUp(examined)
  const online = flags.isSet('online')
    ? await (await import('./doctor-online.ts')).askOthers(examined, offline)
    : skippedOnline
  const findings = inOrder([...offline.findings, ...online])
  const problems = findings.filter(({ status }) => status === 'problem').length
  const report = { ok: problems === 0, config_dir: examined.dir, findings }
  io.stdout.write(
    flags.isJson ? `${JSON.stringify(report)}\n` : printable(reportText(findings, problems)),
  )
  return problems === 0 ? exitCodes.done : exitCodes.refused
}

/** What only --online asks. */
const skippedOnline: readonly Finding[] = (['platforms', 'public', 'clock'] as const).map((check) =>
  skipped(check, `Not asked whether ${doctorChecks[check]}`, 'Give --online to ask.'),
)

const order = Object.keys(doctorChecks)
const inOrder = (findings: readonly Finding[]): readonly Finding[] =>
  findings.toSorted((a, b) => order.indexOf(a.check) - order.indexOf(b.check))

const CHECK_WIDTH = Math.max(...order.map((name) => name.length))

function reportText(findings: readonly Finding[], problems: number): string {
  const lines = findings.flatMap(({ check, status, what, why, mend }) => [
    `${status.padEnd(7)}  ${(check satisfies DoctorCheck).padEnd(CHECK_WIDTH)}  ${what}.`,
    ...(why === null ? [] : [`         Why:  ${why}`]),
    ...(mend === null || status === 'skipped' ? [] : [`         Mend: ${mend}`]),
  ])
  const sum = problems === 1 ? '1 problem' : `${problems} problems`
  return `${lines.join('\n')}\n\n${problems === 0 ? 'No problem' : sum} found.\n`
}
