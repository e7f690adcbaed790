// Runs the client against a misbehaving server, with a temporary folder and a controlled clock.

import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import {
  runCommand,
  type RunEvent,
  type RunOptions,
  type RunResult,
  runWorkflow,
} from '../../../dist/emulator/internal.js'
import { hostedKey } from './misbehaving-hosted.ts'
import { startPunishingServer } from './misbehaving-server.ts'
import type { Behaviour, MisbehavingServer } from './misbehaving-server.ts'
import { folder } from '../../support/folder.ts'

export const sampler =
  '{"3": {"class_type": "KSampler", "inputs": {}, "_meta": {"title": "Sampler"}}}'

export async function serve(behaviour: Behaviour = {}): Promise<MisbehavingServer> {
  const server = await startPunishingServer(behaviour)
  onTestFinished(server.close)
  return server
}

/** All files below a folder with their texts. */
export async function filesIn(place: string): Promise<Record<string, string>> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const paths = files.map((file) => join(file.parentPath, file.name)).sort()
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
  return Object.fromEntries(
    paths.map((path, at) => [path.slice(place.length + 1), texts[at] ?? '']),
  )
}

/** A clock on which pauses between attempts end immediately, and waits of 10 s and more only when `pass` ends them. */
export function testClock() {
  let nowMs = 0
  const held = new Set<{ ms: number; finish: () => void }>()
  const wait = async (ms: number, signal: AbortSignal) => {
    if (ms < 10_000) {
      await nextTurn()
      nowMs += signal.aborted ? 0 : ms
      return
    }
    await new Promise<void>((resolve) => {
      const entry = { ms, finish: resolve }
      held.add(entry)
      signal.addEventListener('abort', () => {
        held.delete(entry)
        resolve()
      })
    })
  }
  const pass = (ms: number) => {
    nowMs += ms
    for (const entry of held) if (entry.ms <= ms) entry.finish()
  }
  return { now: () => nowMs, wait, pass }
}

type RunReport = {
  readonly result: RunResult
  readonly events: readonly RunEvent[]
  readonly files: Record<string, string>
}

/** One run of a workflow's text. `onEvent` receives each event. */
export async function runOn(
  server: Pick<MisbehavingServer, 'url'>,
  options: Partial<RunOptions> & {
    readonly text?: string
    readonly place?: string
    readonly onEvent?: (event: RunEvent) => void
  } = {},
): Promise<RunReport> {
  const { text = sampler, onEvent, place = folder(), ...rest } = options
  const [workflowPath, outDir] = [join(place, 'workflow.json'), join(place, 'out')]
  await writeFile(workflowPath, text)
  const events: RunEvent[] = []
  const onProgress = (event: RunEvent) => {
    events.push(event)
    onEvent?.(event)
  }
  const all = { url: server.url, workflowPath, outDir, clock: testClock(), onProgress, ...rest }
  const result = await runWorkflow(all)
  const files = await filesIn(outDir).catch(() => ({}))
  return { result, events, files }
}

export const serveHosted = ({
  hosted = {},
  ...behaviour
}: Behaviour = {}): Promise<MisbehavingServer> => serve({ hosted, ...behaviour })

/** Like `runOn`, with the key of the misbehaving hosted server. */
export const runHosted = (
  server: MisbehavingServer,
  options: Parameters<typeof runOn>[1] = {},
): Promise<RunReport> => runOn(server, { apiKey: hostedKey, ...options })

/** Which of these paths were requested, in order. */
export const asked = ({ requests }: MisbehavingServer, ...paths: readonly string[]): string[] =>
  requests.flatMap(({ path }) => (paths.includes(path) ? [path] : []))

/**
 * One run of the command in a folder that holds `workflow.json`. `terminal` is the width of stderr
 * as a terminal.
 */
export async function command(
  argv: readonly string[],
  options: { text?: string; env?: Record<string, string>; terminal?: number } = {},
): Promise<{ code: number; stdout: string; stderr: string; cwd: string }> {
  const cwd = folder()
  await writeFile(join(cwd, 'workflow.json'), options.text ?? sampler)
  const written = { stdout: '', stderr: '' }
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => (written[name] += text),
    isTTY: name === 'stderr' && options.terminal !== undefined,
    columns: options.terminal ?? 80,
  })
  const io = { stdout: sink('stdout'), stderr: sink('stderr'), env: options.env ?? {}, cwd }
  return { code: await runCommand(argv, io), ...written, cwd }
}
