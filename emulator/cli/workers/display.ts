// What `serve --workers` prints at its start, for people and for programs.

import pc from 'picocolors'
import type { CommandIo } from '../lib/io.ts'
import type { Address, Workers } from './admin.ts'

/** The addresses that `--json` and the ready file contain. */
export const addressesOf = ({ url, port }: Address, all: Workers['all']): object => ({
  url,
  port,
  pid: process.pid,
  workers: all.map((worker) => worker.lastAddresses()),
})

/** The addresses, and how to get a world. */
export function banner(
  { url }: Address,
  { all, baseOf }: Workers,
  needsToken: boolean,
  { stdout, env }: CommandIo,
): string {
  const { bold, cyan } = pc.createColors(stdout.isTTY === true && !env['NO_COLOR'])
  const place = cyan(`PUT ${url}/_flowdouble/worlds/NAME`)
  const lines = all.map(
    (worker) => `  ${`Worker ${worker.number}`.padEnd(9)}  ${cyan(baseOf(worker))}\n`,
  )
  return `
  ${bold('flowdouble')}  a test double for a workflow execution server

  Worlds     ${place}${needsToken ? ', with the control token' : ''}
${lines.join('')}
  Stop with Ctrl+C.

`
}
