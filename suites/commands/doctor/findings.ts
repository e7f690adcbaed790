// What the doctor finds, for cases about one of its checks.

import type { CommandContext, CommandLine } from '../../support/command-line.ts'

/** What one check finds, each with its status before it. */
export async function found(
  cli: CommandLine,
  check: string,
  ...argv: readonly string[]
): Promise<readonly string[]> {
  return foundIn(cli, {}, check, ...argv)
}

/** The same in an environment. */
export async function foundIn(
  cli: CommandLine,
  context: CommandContext,
  check: string,
  ...argv: readonly string[]
): Promise<readonly string[]> {
  const { stdout } = await cli.runIn(context, 'gateway', 'doctor', '--json', ...argv)
  const { findings } = JSON.parse(stdout) as {
    readonly findings: readonly {
      readonly check: string
      readonly status: string
      readonly what: string
    }[]
  }
  return findings.flatMap((one) => (one.check === check ? `${one.status}: ${one.what}` : []))
}
