// Reads help texts: which subcommands, flags and arguments a command has.

/** A word that can follow, and what it is. */
export type Candidate = { readonly word: string; readonly about: string }

export type Flag = {
  /** `--json`, or several that are described together. */
  readonly names: readonly string[]
  /** The placeholder of its value; empty for a flag without one. */
  readonly takes: string
  readonly about: string
}

/** A subcommand by one of its names; `of` is the first of them, under which the headings list its flags. */
export type Subcommand = Candidate & { readonly of: string }

/** The commands below the heading `Commands:`. */
export function subcommandsIn(help: string): readonly Subcommand[] {
  const [, after = ''] = help.split('\nCommands:\n')
  const [lines = ''] = after.split('\n\n')
  return lines.split('\n').flatMap((line) => {
    const [, name, other, about = ''] =
      /^ {2}([a-z][\w-]*)(?: [[\]A-Z._a-z]+)*?(?: \(([\w-]+)\))? {2,}(.*)$/.exec(line) ?? []
    return [name, other].flatMap((word) =>
      name === undefined || word === undefined ? [] : { word, about, of: name },
    )
  })
}

/** The flags, but those of other subcommands than this one. */
export function flagsIn(help: string, subcommand: string): readonly Flag[] {
  let isOther = false
  const found: Flag[] = []
  for (const line of help.split('\n')) {
    const [, heading] = /^(\S.*):$/.exec(line) ?? []
    if (heading !== undefined) isOther = isForOthers(heading, subcommand)
    const flag = isOther ? undefined : flagIn(line)
    if (flag !== undefined) found.push(flag)
  }
  return found
}

/** `Options for list:` is not for test, `Options for all commands:` and `Options for both:` are. */
function isForOthers(heading: string, subcommand: string): boolean {
  const [, names] = /^Options for ([\w, -]+?)(?: \(.*)?$/.exec(heading) ?? []
  if (names === undefined || /^(all|both)\b/.test(names)) return false
  return !names.split(/, | and /).includes(subcommand)
}

/** A line such as `  --port PORT   port to use`; a long placeholder has one space behind it. */
function flagIn(line: string): Flag | undefined {
  const [, spelled = '', rest = ''] =
    /^ {2}((?:-\w, )?--[a-z][\w-]*(?:, --[a-z][\w-]*)*)(.*)$/.exec(line) ?? []
  if (spelled === '') return undefined
  const [, takes = '', about = ''] =
    /^ (\S.*?) {2,}(.*)$/.exec(rest) ?? /^ ([A-Z['][^ a-z]*) (.*)$/.exec(rest) ?? []
  return { names: spelled.split(', '), takes, about: about === '' ? rest.trim() : about }
}

/** The words that its usage names as they are: `report` of `check`. */
export const usageWords = (help: string, command: string): readonly string[] =>
  usageOf(help).flatMap(
    (line) => new RegExp(`flowdouble ${command} ([a-z]+)\\b`).exec(line)?.[1] ?? [],
  )

/** Whether the arguments of a command are files, by the first line of its usage. */
export const takesFiles = (help: string): boolean =>
  /flowdouble(?: [a-z]+)+ (?:FILE|WORKFLOW)/.test(usageOf(help)[0] ?? '')

const usageOf = (help: string): readonly string[] =>
  help
    .split('\n\n')[0]
    ?.split('\n')
    .filter((line) => /flowdouble /.test(line)) ?? []
