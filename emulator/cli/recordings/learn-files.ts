// Writes a learned scenario: YAML for people, and beside it a folder with what is large, named by content.

import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { stringify } from 'yaml'
import { refused } from '../../lib/refused.ts'
import type { NodeRule } from '../../../spec/scenario/nodes.ts'
import { endingOf } from '../../server/nodes/file-contents.ts'
import type { Learned, LearnedScenario } from '../../recording/learn/learn.ts'

/** A scenario that names its files, and their contents by name. */
type WithFiles = {
  readonly scenario: LearnedScenario
  readonly files: ReadonlyMap<string, Uint8Array>
}

type Outputs = NonNullable<NodeRule['outputs']>

/** The folder beside a scenario. */
export const folderOf = (out: string): string => `${basename(out, extname(out))}.files`

/** Moves contents out of a scenario into files of a folder. */
function withFiles(scenario: LearnedScenario, folder: string): WithFiles {
  const files = new Map<string, Uint8Array>()
  const moved = (bytes: Uint8Array, ending: string): string => {
    const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
    const name = `${folder}/${digest}.${ending}`
    files.set(name, bytes)
    return name
  }
  /** A file of the scenario that names its content, if it has one as base64. */
  const outside = <T>(file: T): T => {
    const { base64, ...rest } = Object(file) as Readonly<Record<string, unknown>>
    if (typeof base64 !== 'string') return file
    const bytes = Buffer.from(base64, 'base64')
    return { from: moved(bytes, endingOf(bytes) ?? 'bin'), ...rest } as T
  }
  const outsideOf = (outputs: Outputs): Outputs =>
    Object.fromEntries(Object.entries(outputs).map(([key, items]) => [key, items.map(outside)]))
  const { world = {}, nodes, start } = scenario
  const { objectInfo, ...options } = world as { readonly objectInfo?: object }
  const types =
    objectInfo === undefined
      ? {}
      : { objectInfo: moved(Buffer.from(JSON.stringify(objectInfo)), 'json') }
  return {
    scenario: {
      ...scenario,
      world: { ...options, ...types },
      ...(start?.files && { start: { ...start, files: start.files.map(outside) } }),
      ...(nodes && {
        nodes: nodes.map((rule) =>
          Object.assign({}, rule, rule.outputs && { outputs: outsideOf(rule.outputs) }),
        ),
      }),
    },
    files,
  }
}

/** The text of a scenario file: first what was not learned. */
export function scenarioText(
  { notLearned }: Pick<Learned, 'notLearned'>,
  scenario: LearnedScenario,
): string {
  const head = ['Learned by flowdouble learn.', ...notLearned.map((what) => `not learned: ${what}`)]
  const comments = head.map((line) => `# ${line.replace(/\s+/g, ' ')}\n`).join('')
  return comments + stringify(scenario, { lineWidth: 0, aliasDuplicateObjects: false })
}

/**
 * Writes the scenario and its files. Files are named by their content, and the scenario comes last in one step: a reader
 * finds the old scenario or the new one, with all of its files. Throws a refusal if one of them cannot be written, and
 * removes what was new.
 */
export function writeScenario(out: string, learned: Learned): number {
  const { scenario, files } = withFiles(learned.scenario, folderOf(out))
  const folder = dirname(out)
  const made: string[] = []
  const makeFolder = (path: string): void => {
    const first = mkdirSync(path, { recursive: true })
    if (first !== undefined) made.push(first)
  }
  try {
    makeFolder(folder)
    if (files.size > 0) makeFolder(join(folder, folderOf(out)))
    for (const [name, bytes] of files) {
      const file = join(folder, name)
      if (existsSync(file)) continue
      replace(file, bytes)
      made.push(file)
    }
    replace(out, scenarioText(learned, scenario))
  } catch (error) {
    for (const path of made) rmSync(path, { recursive: true, force: true })
    throw refused(`Cannot write ${out}: ${(error as Error).message}.`)
  }
  return files.size
}

function replace(file: string, content: string | Uint8Array): void {
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    writeFileSync(temporary, content, { flag: 'wx' })
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}
