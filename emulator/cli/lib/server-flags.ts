// The flags of commands that are options of a server, by the option table: their names, values and help.

import { resolve } from 'node:path'
import { readNamedFile } from '../../config/named-files.ts'
import { readJsonText } from '../../lib/json-text.ts'
import { isOptionName } from '../../options/complete.ts'
import type { OptionEntry, OptionValues } from '../../options/read.ts'
import type { OptionName } from '../../options/server-options.ts'
import { optionTable } from '../../options/table.ts'
import { usageError } from '../../options/usage.ts'
import type { FlagTable } from './command.ts'

const entriesOf = (names: readonly OptionName[]): readonly (readonly [string, OptionEntry])[] =>
  names.map((name) => [name, optionTable[name]])

export const allOptions = Object.keys(optionTable) as readonly OptionName[]

/** The flags of options. Of `several` servers, each can behave like a different known one. */
export const optionFlags = (names: readonly OptionName[], several = false): FlagTable =>
  Object.fromEntries(
    entriesOf(names).map(([, { flag, many }]) => [
      flag,
      { type: 'string', multiple: many ?? (several && flag === 'like') },
    ]),
  )

/** The values of these flags by option. */
export function optionsGiven(
  names: readonly OptionName[],
  flags: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string | string[]>> {
  const given: Record<string, string | string[]> = {}
  for (const [name, { flag }] of entriesOf(names)) {
    const value = flags[flag]
    if (typeof value === 'string' || Array.isArray(value)) given[name] = value as string | string[]
  }
  return given
}

/** The lines of a help text about these flags. */
export const optionHelp = (names: readonly OptionName[]): string =>
  entriesOf(names)
    .map(([, { flag, value, help }]) => helpLine(`--${flag} ${value}`, help))
    .join('\n')

export const helpLine = (flag: string, help: string): string => `  ${flag.padEnd(22)} ${help}`

/** Replaces the value of each flag that names a JSON file by the content of the file. */
export function readFiles(given: OptionValues, cwd: string): OptionValues {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const entry: OptionEntry | undefined = isOptionName(name) ? optionTable[name] : undefined
      if (entry?.isPath) return [name, resolved(value, cwd)]
      if (entry?.readWhole === undefined || typeof value !== 'string') return [name, value]
      return [name, readJson(resolve(cwd, value), `the file of --${entry.flag}`)]
    }),
  )
}

/** Replaces the paths of options that take objects or files with them by the objects. */
export const fileContents = (given: OptionValues): OptionValues =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const entry: OptionEntry | undefined = isOptionName(name) ? optionTable[name] : undefined
      const takesObjects = entry?.isPath && [entry.schema?.type].flat().includes('object')
      if (!takesObjects) return [name, value]
      const content = (one: unknown): unknown =>
        typeof one === 'string' ? readJson(one, `the file of ${name}`) : one
      return [name, Array.isArray(value) ? value.map(content) : content(value)]
    }),
  )

/** Resolves one path or several against a folder. Leaves invalid values for the option reader to reject. */
export const resolved = (value: unknown, folder: string): unknown =>
  Array.isArray(value)
    ? value.map((one) => resolved(one, folder))
    : typeof value === 'string' && value !== ''
      ? resolve(folder, value)
      : value

/** The value in a JSON file. Its text can hold keys: no message quotes it. */
export function readJson(path: string, what: string): unknown {
  let text: string
  try {
    text = readNamedFile(path).toString()
  } catch (error) {
    throw usageError(`Cannot read ${what} ${path}: ${(error as Error).message}`)
  }
  const json = readJsonText(text)
  if ('wrong' in json) throw usageError(`Cannot read ${what} ${path}: it ${json.wrong}.`)
  return json.value
}
