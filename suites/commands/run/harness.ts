// Runs the client against a misbehaving server, with a temporary folder and a controlled clock.

import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'vitest'
import {
  runCommand,
  type RunEvent,
  type RunOptions,
  type RunResult,
  runWorkflow,
} from '../../../dist/emulator/internal.js'
import { hostedKey } from './misbehaving-hosted.ts'
import { type Behaviour, type MisbehavingServer, startMisbehaving } from './misbehaving-server.ts'
import { expect } from '../../judge/expect.ts'
import { folder } from '../../support/folder.ts'
import { outputOf, type Output } from '../../support/in-process.ts'

export const sampler =
  '{"3": {"class_type": "KSampler", "inputs": {}, "_meta": {"title": "Sampler"}}}'

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
}: Behaviour = {}): Promise<MisbehavingServer> => startMisbehaving({ hosted, ...behaviour })

/** Like `runOn`, with the key of the misbehaving hosted server. */
export const runHosted = (
  server: MisbehavingServer,
  options: Parameters<typeof runOn>[1] = {},
): Promise<RunReport> => runOn(server, { apiKey: hostedKey, ...options })

/** Which of these paths were requested, in order. */
export const asked = ({ requests }: MisbehavingServer, ...paths: readonly string[]): string[] =>
  requests.flatMap(({ path }) => (paths.includes(path) ? [path] : []))

/** What a server does, what a run there shows, and options of the run. On a hosted server the run has its key. */
type RunRow = readonly [
  behaviour: Behaviour,
  /**
   * Members of the result and of what the server received, `events`, and `saved`: the names and texts of the files in the
   * output folder.
   */
  shows: object,
  options?: Parameters<typeof runOn>[1],
]

/** A test for each row, by its title: one run on a new server. */
export function runs(rows: Readonly<Record<string, RunRow>>): void {
  for (const [title, [behaviour, shows, options]] of Object.entries(rows))
    test(title, async () => {
      const server = await startMisbehaving(behaviour)
      const { result, events, files } = await (behaviour.hosted === undefined ? runOn : runHosted)(
        server,
        options,
      )
      const saved = Object.entries(files)
      expect({ ...server, ...result, events, saved }).toMatchObject(shows)
    })
}

/** Events among which there have to be these. */
export const including = (...some: readonly object[]): unknown =>
  expect.arrayContaining(some.map((one) => expect.objectContaining(one)))

/** One run of the command in a folder that holds `workflow.json`. */
export async function command(
  argv: readonly string[],
  options: { text?: string; env?: Record<string, string>; terminal?: number } = {},
): Promise<Output & { readonly cwd: string }> {
  const { text = sampler, ...more } = options
  const cwd = folder()
  await writeFile(join(cwd, 'workflow.json'), text)
  return { ...(await outputOf(runCommand, argv, { cwd, ...more })), cwd }
}

/** What the command prints about a workflow on a new server, after `flags`, and how it ends. */
type PrintedRow = readonly [
  behaviour: Behaviour,
  flags: readonly string[],
  prints: Partial<Record<keyof Output, unknown>>,
  options?: Parameters<typeof command>[1],
]

/** A test for each row, by its title: one run of the command on a new server. `URL` in a text is its address. */
export function prints(rows: Readonly<Record<string, PrintedRow>>): void {
  for (const [title, [behaviour, flags, says, options]] of Object.entries(rows))
    test(title, async () => {
      const { url } = await startMisbehaving(behaviour)
      const key = behaviour.hosted === undefined ? [] : ['--api-key', hostedKey]
      const argv = ['workflow.json', '--url', url, ...key, ...flags]
      const { code, stdout, stderr } = await command(argv, options)
      const [out, err] = [stdout, stderr].map((text) => text.replaceAll(url, 'URL'))
      expect({ code, stdout: out, stderr: err }).toMatchObject(says)
      expect(stdout + stderr).not.toContain(hostedKey)
    })
}
