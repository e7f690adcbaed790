// The flag --watch of `serve`: reloads the scenario when one of its files changes, and says what is different. A file with
// a mistake changes nothing. The rules are loaded as over the control API, so the journal has them and replays.

import { isDeepStrictEqual } from 'node:util'
import { relative } from 'node:path'
import { printable } from '../../client/terminal-text.ts'
import { loadScenario, problemText, type ScenarioProblem } from '../../config/scenario-files.ts'
import { readCatalog, requireKnownTypes } from '../../edge/catalog.ts'
import type { Emulator } from '../../edge/handles.ts'
import { nodeTypeFiles } from '../../edge/node/node-types.ts'
import type { EmulatorOptions } from '../../edge/node/server.ts'
import { scenarioProblems } from '../../edge/node/try-scenario.ts'
import { isRefused } from '../../lib/refused.ts'
import type { Entry } from '../../machine.ts'
import { completeOptions } from '../../options/complete.ts'
import type { OptionValues } from '../../options/read.ts'
import { noScenario, type Scenario } from '../../options/scenario.ts'
import type { ServerOptionsInput } from '../../options/server-options.ts'
import { isUsageError } from '../../options/usage.ts'
import type { CommandIo } from '../lib/io.ts'
import { changesText, type Reading, rulesOf } from './changes.ts'

/**
 * How often the files are looked at, in milliseconds. Polled, since events get lost on the mounts of containers; a file
 * counts as written when two looks in a row find it the same.
 */
const LOOK_MS = 100

/** What the watch needs of its command. */
export type Watched = {
  readonly io: CommandIo
  /** What says whether a file is the same as before. */
  readonly markOf: (path: string) => string
  /** Reads the files again; calls back with the path of each before it is read. */
  readonly plan: (onRead: (path: string) => void) => Promise<readonly EmulatorOptions[]>
  /** What is wrong with the scenarios, one by one. */
  readonly problems: () => Promise<readonly ScenarioProblem[]>
  readonly report: (report: Report) => void
}

/** What came of a change; `nowMs` is the time of the latest entry of the first server, since its start. */
export type Report = { readonly files: readonly string[]; readonly nowMs: number } & (
  | { readonly changes: string }
  /** Places are null for a problem that has none. */
  | { readonly problems: readonly (Pick<ScenarioProblem, 'message'> & Partial<ScenarioProblem>)[] }
)

export type Watch = {
  /** Notes that a file was read at the start. */
  readonly onRead: (path: string) => void
  /** The options of a server as the files say now, on which those of new worlds are based. */
  readonly optionsOf: (server: number) => ServerOptionsInput
  /** Takes the entries of a world, which begins with the rules of its start again after a reset. */
  readonly reader: (server: number, world: string | null) => (entry: Entry) => void
  /** Looks at the files from now on. */
  readonly start: (emulators: readonly Emulator[], plans: readonly EmulatorOptions[]) => void
  readonly stop: () => void
}

export function createWatch({ io, markOf, plan, problems, report }: Watched): Watch {
  /** The marks of the files at the last look, and when they were last read. */
  const seen = new Map<string, string>()
  let read = new Map<string, string>()
  let emulators: readonly Emulator[] = []
  let plans: readonly ServerOptionsInput[] = []
  /** The scenario of each server, the latest last: a world with another one has its own. */
  let scenarios: readonly (readonly Scenario[])[] = []
  let nowMs = 0
  let isBusy = false
  let isMoving = false
  let timer: ReturnType<typeof setInterval> | undefined

  const onRead = (path: string): void => {
    const mark = markOf(path)
    read.set(path, mark)
    seen.set(path, mark)
  }
  const shown = (path: string): string => {
    const near = relative(io.cwd, path)
    return near.startsWith('..') ? path : near
  }
  /** Loads the rules of the files into a world that began with earlier ones. */
  const follow = async (emulator: Emulator, server: number): Promise<void> => {
    const own = emulator.options.scenario
    const known = scenarios[server] ?? []
    const latest = known.at(-1)
    if (latest === undefined || isDeepStrictEqual(own, latest)) return
    if (known.some((one) => isDeepStrictEqual(own, one))) await emulator.load(rulesOf(latest))
  }
  const reload = async (files: readonly string[]): Promise<void> => {
    const reading = read
    read = new Map()
    try {
      const planned = (await plan(onRead)).map(withoutHooks)
      const options = planned.map((one) => completeOptions(one))
      for (const one of options) requireKnownTypes(one, readCatalog(one, nodeTypeFiles))
      const before = readingOf(plans[0], scenarios[0]?.at(-1))
      plans = planned
      scenarios = options.map(({ scenario }, at) => [...(scenarios[at] ?? []), scenario])
      // Also a world that was created from an earlier file, and one whose rules are those of its start.
      for (const [at, emulator] of emulators.entries()) {
        await emulator.load(rulesOf(options[at]!.scenario))
        for (const world of emulator.worlds()) await follow(world, at)
      }
      report({
        files,
        nowMs,
        changes: changesText(before, readingOf(plans[0], options[0]?.scenario)),
      })
    } catch (error) {
      if (!isUsageError(error) && !isRefused(error)) throw error
      // A file that could not be read this time can be mended.
      for (const [path, mark] of reading) if (!read.has(path)) read.set(path, mark)
      const placed = await problems().catch((other: unknown) => {
        if (isUsageError(other)) return []
        throw other
      })
      report({ files, nowMs, problems: placed.length > 0 ? placed : [{ message: error.message }] })
    }
  }
  const look = async (): Promise<void> => {
    if (isBusy) return
    let isSame = true
    for (const path of read.keys()) {
      const mark = markOf(path)
      if (mark !== seen.get(path)) isSame = false
      seen.set(path, mark)
    }
    if (!isSame) isMoving = true
    if (!isSame || !isMoving) return
    isMoving = false
    const changed = [...read].flatMap(([path, mark]) => (seen.get(path) === mark ? [] : path))
    for (const path of changed) read.set(path, seen.get(path) ?? '')
    if (changed.length === 0) return
    isBusy = true
    await reload(changed.map(shown))
    isBusy = false
  }
  return {
    onRead,
    optionsOf: (server) => plans[server]!,
    reader: (server, name) => (entry) => {
      const { input } = entry
      if (server === 0 && name === null) nowMs = input.atMs
      if (input.kind !== 'world' || input.do !== 'reset') return
      // Not within the reset.
      queueMicrotask(() => {
        const root = emulators[server]
        const world = name === null ? root : root?.worlds().find((one) => one.name === name)
        if (world !== undefined) void follow(world, server)
      })
    },
    start: (running, planned) => {
      emulators = running
      plans = planned.map(withoutHooks)
      scenarios = running.map(({ options }) => [options.scenario])
      timer = setInterval(() => void look(), LOOK_MS)
    },
    stop: () => clearInterval(timer),
  }
}

const readingOf = (
  { scenario: _, ...options }: ServerOptionsInput = {},
  scenario = noScenario,
): Reading => ({ scenario, options })

/** What is wrong with each of these scenarios, by itself. */
export async function problemsOf(
  sources: readonly unknown[],
  folder: string,
  given: OptionValues,
): Promise<readonly ScenarioProblem[]> {
  const found: ScenarioProblem[] = []
  for (const [at, source] of sources.entries()) {
    const loaded = await loadScenario(source, folder, `scenario ${at + 1}`).catch(
      (error: unknown) => {
        if (!isUsageError(error)) throw error
      },
    )
    if (loaded !== undefined) found.push(...(await scenarioProblems(loaded, given)))
  }
  return found.filter(({ severity }) => severity === 'error')
}

/** A report as a line of JSON. */
export const reportLine = ({ nowMs, ...report }: Report): string =>
  `${JSON.stringify({ event: 'changes' in report ? 'reload' : 'reload-failed', nowMs, ...report })}\n`

/** The options of a plan; what makes its server wrong is not one. */
const withoutHooks = ({ tamper: _, ...options }: EmulatorOptions): ServerOptionsInput => options

/** What a report says in the log: one record, or one for each problem. */
export const recordsOf = (
  report: Report,
): readonly (
  | {
      readonly event: 'reload'
      readonly atMs: number
      readonly files: readonly string[]
      readonly changes: string
    }
  | { readonly event: 'warning'; readonly atMs: number; readonly text: string }
)[] => {
  const { nowMs: atMs, files } = report
  if ('changes' in report) return [{ event: 'reload', atMs, files, changes: report.changes }]
  const lines = report.problems.map((one) =>
    isPlaced(one) ? problemText(one) : one.message.replace(/\s*\n\s*/g, ' '),
  )
  return [...lines, 'the rules before this change stay in force'].map((text) => ({
    event: 'warning',
    atMs,
    text: printable(text),
  }))
}

const isPlaced = (one: Partial<ScenarioProblem>): one is ScenarioProblem => one.file !== undefined
