// `serve --run`: runs a workflow once on the server that has just started, and shares the terminal with its log.

import type { Output } from '../client/display.ts'
import type { Emulator } from '../edge/handles.ts'
import type { CommandIo } from './lib/io.ts'

const eraseLine = '\r\u001b[2K'

/** A terminal that prints log lines above a progress bar; the bar stays the last line. */
export type SharedTerminal = {
  /** For log lines: erases the bar, writes, and draws it again. */
  readonly io: CommandIo
  /** For the run, which draws its bar on standard error. */
  readonly runIo: CommandIo
  /** Removes the bar. The run writes nothing after this. */
  readonly endRun: () => void
}

/** Lets the log and a run share standard output and standard error. */
export function shareTerminal(io: CommandIo): SharedTerminal {
  let bar = ''
  let isOver = false
  const above = (output: Output): Output => ({
    ...terminalSize(output),
    get writableLength() {
      return output.writableLength ?? 0
    },
    write: (text) => {
      if (bar === '') return output.write(text)
      io.stderr.write(eraseLine)
      output.write(text)
      return io.stderr.write(bar)
    },
  })
  const [stdout, stderr] = [above(io.stdout), above(io.stderr)]
  const write = (text: string): void => {
    if (isOver) return
    const last = text.slice(text.lastIndexOf('\n') + 1)
    bar = last === eraseLine ? '' : last
    io.stderr.write(text)
  }
  const listing = (text: string): unknown => (isOver ? undefined : stdout.write(text))
  const runIo = {
    ...io,
    stdout: { ...terminalSize(io.stdout), write: listing },
    stderr: { ...terminalSize(io.stderr), write },
  }
  const endRun = (): void => {
    isOver = true
    if (bar !== '') io.stderr.write(eraseLine)
    bar = ''
  }
  return { io: { ...io, stdout, stderr }, runIo, endRun }
}

const terminalSize = ({ isTTY, columns }: Output): Omit<Output, 'write'> => ({
  ...(isTTY !== undefined && { isTTY }),
  ...(columns !== undefined && { columns }),
})

/** The flags of `serve` that concern the run. */
type RunFlags = {
  readonly run?: string
  readonly out: string
  readonly json: boolean
  readonly quiet: boolean
}

/** Runs the workflow and prints what to try next. Prints nothing after a signal: the server stops as well. */
export async function runOnce(
  emulator: Emulator,
  { run = '', out, json, quiet }: RunFlags,
  { io, runIo, endRun }: SharedTerminal,
): Promise<void> {
  const { signal } = io
  if (signal?.aborted) return
  const { runCommand } = await import('./run.ts')
  const argv = [run, ...credentialsOf(emulator), '--out', out]
  if (quiet) argv.push('--quiet')
  signal?.addEventListener('abort', endRun, { once: true })
  // With --json, standard output carries exactly one line; the paths go to standard error.
  const stdout = json ? runIo.stderr : runIo.stdout
  const code = await runCommand(argv, { ...runIo, stdout })
  endRun()
  if (json || quiet || signal?.aborted) return
  const { nextStep } = await import('./serve-display.ts')
  io.stdout.write(nextStep(emulator, code === 0))
}

/** The flags of `run` for this server, with its credentials. */
function credentialsOf({ url, options, apiKey }: Emulator): readonly string[] {
  const { deployment, token } = options
  const place = token === null ? url : `${url}/?token=${encodeURIComponent(token)}`
  const flags = ['--url', place, '--deployment', deployment]
  if (deployment === 'local') return flags
  return [...flags, `--api-key=${apiKey ?? ''}`]
}
