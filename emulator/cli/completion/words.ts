// What can follow the words of a command line: commands, flags and values, as the help of the commands names them.

import { quirks } from '../../../spec/truth/quirks.ts'
import { servers } from '../../../spec/truth/servers.ts'
import { scenarioNames } from '../../config/scenario-files.ts'
import type { OptionEntry } from '../../options/read.ts'
import { optionTable } from '../../options/table.ts'
import {
  type Candidate,
  type Flag,
  flagsIn,
  subcommandsIn,
  takesFiles,
  usageWords,
} from './help.ts'

export type Completion = {
  readonly candidates: readonly Candidate[]
  /** What the shell completes beside these. */
  readonly paths: 'files' | 'dirs' | null
}

/** Where the texts come from. */
export type Sources = {
  /** The help of a command with these words; that of all without any. */
  readonly helpOf: (words: readonly string[]) => Promise<string>
  /** What the command that lists something prints, a name at the start of each line. */
  readonly namesOf: (command: 'rules' | 'mutants') => Promise<readonly string[]>
}

/** @param line the words after `flowdouble`; the last one is incomplete, and may be empty. */
export async function completionOf(line: readonly string[], sources: Sources): Promise<Completion> {
  const { words, isSplit } = joined(line)
  const current = words.at(-1) ?? ''
  const found = await unfiltered(words, sources)
  const [, flag, start = current] = /^(--[\w-]+=)(.*)$/s.exec(current) ?? []
  return {
    paths: found.paths,
    candidates: found.candidates
      .filter(({ word }) => word.startsWith(start))
      // A shell that splits at the sign replaces what follows it.
      .map((one) =>
        flag === undefined || isSplit ? one : Object.assign({}, one, { word: flag + one.word }),
      ),
  }
}

/** bash splits `--flag=value` into three words. */
function joined(line: readonly string[]): { readonly words: string[]; readonly isSplit: boolean } {
  const words: string[] = []
  let isSplit = false
  for (const word of line) {
    const before = words.at(-1) ?? ''
    isSplit = /^--[\w-]+=?$/.test(before) && (word === '=' || before.endsWith('='))
    if (isSplit) words.splice(-1, 1, before + word)
    else words.push(word)
  }
  return { words, isSplit }
}

async function unfiltered(words: readonly string[], sources: Sources): Promise<Completion> {
  const [name = '', ...rest] = words
  const general = await sources.helpOf([])
  const commands = subcommandsIn(general)
  if (words.length < 2 || (name === 'help' && words.length === 2))
    return name.startsWith('-') ? flagsFor(flagsIn(general, ''), []) : listed(commands)
  const [first = ''] = rest
  const usage = await sources.helpOf([name])
  const isOwnPage = usageWords(usage, name).includes(first) || rest.includes('--client')
  const page = isOwnPage
    ? await sources.helpOf([name, first.startsWith('-') ? '--client' : first])
    : usage
  const subcommands = subcommandsIn(usage)
  const flags = flagsIn(page, subcommands.find(({ word }) => word === first)?.of ?? first)
  const current = rest.at(-1) ?? ''
  const [, assigned] = /^(--[\w-]+)=/.exec(current) ?? []
  const before = assigned ?? rest.at(-2)
  const flag = flags.find(({ names }) => before !== undefined && names.includes(before))
  if (
    flag !== undefined &&
    flag.takes !== '' &&
    (assigned !== undefined || !flag.takes.startsWith('['))
  )
    return valuesOf(flag, sources)
  if (current.startsWith('-')) return flagsFor(flags, rest.slice(0, -1))
  if (rest.length === 1 && subcommands.length > 0) return listed(subcommands)
  if (name === 'completion') return listed(words.length === 2 ? shells : [])
  const literal = rest.length === 1 ? usageWords(usage, name) : []
  const named = name === 'run' ? await workflowNames() : name === 'validate' ? scenarioNames() : []
  return {
    candidates: [...literal, ...named].map(plain),
    paths: takesFiles(page) ? 'files' : null,
  }
}

/** Loaded late: a gateway loads this file, but no workflow. */
const workflowNames = async (): Promise<readonly string[]> =>
  (await import('../../client/workflow.ts')).workflowNames()

const plain = (word: string): Candidate => ({ word, about: '' })
const listed = (candidates: readonly Candidate[]): Completion => ({ candidates, paths: null })
const shells = ['bash', 'zsh', 'fish'].map(plain)

/** The flags that are not on the line yet, or that can be repeated. */
const flagsFor = (flags: readonly Flag[], line: readonly string[]): Completion =>
  listed(
    flags
      .filter(
        ({ names, about }) => /repeat/.test(about) || !names.some((one) => line.includes(one)),
      )
      .flatMap(({ names, about }) =>
        names.filter((one) => one.startsWith('--')).map((word) => ({ word, about })),
      ),
  )

/** The values of the options of a server, by flag. */
const enumerations: ReadonlyMap<string, readonly string[]> = new Map(
  Object.values<OptionEntry>(optionTable).flatMap(({ flag, schema }) => {
    const values = (schema as { readonly enum?: readonly unknown[] }).enum ?? []
    const texts = values.filter((one) => typeof one === 'string')
    return texts.length === 0 ? [] : [[`--${flag}`, texts] as const]
  }),
)

/** The values of other flags. Where it depends on the command which of them it takes, its help names those. */
const known: Readonly<
  Record<string, (sources: Sources) => readonly string[] | Promise<readonly string[]>>
> = {
  '--scenario': scenarioNames,
  '--run': workflowNames,
  '--quirk': () => Object.keys(quirks),
  '--no-quirk': () => Object.keys(quirks),
  '--accept': () => Object.keys(quirks),
  '--like': () => Object.keys(servers),
  '--mutant': ({ namesOf }) => namesOf('mutants'),
  '--only': ({ namesOf }) => namesOf('rules'),
  '--rule': ({ namesOf }) => namesOf('rules'),
}

/** Those whose values their help lists: their code would bring what a gateway and `check` load. */
const listedInHelp: ReadonlySet<string> = new Set([
  '--allow',
  '--as',
  '--deliver',
  '--clock',
  '--format',
  '--log-format',
])

/** The words of a list such as `text, json (one array) or sarif`. */
function wordsIn(about: string): readonly string[] {
  const [list = ''] =
    /[a-z][\w-]*(?:(?:, or |, | or )[a-z][\w-]*)+/.exec(about.replaceAll(/ \([^)]*\)/g, '')) ?? []
  return list.split(/, or |, | or /).filter((word) => /^[a-z_-]+\d*$/.test(word))
}

async function valuesOf({ names, takes, about }: Flag, sources: Sources): Promise<Completion> {
  const paths = /FILE|WORKFLOW/.test(takes) ? 'files' : takes === 'DIR' ? 'dirs' : null
  const source = names.map((name) => known[name]).find((one) => one !== undefined)
  if (source !== undefined) return { candidates: (await source(sources)).map(plain), paths }
  if (names.some((name) => listedInHelp.has(name)))
    return { candidates: wordsIn(about).map(plain), paths }
  const values = names.flatMap((name) => enumerations.get(name) ?? [])
  const words = names.includes('--deployment') ? [...values, 'gateway'] : values
  const mentioned = words.filter((word) => new RegExp(`\\b${word}\\b`).test(about))
  return { candidates: (names.includes('--deployment') ? mentioned : words).map(plain), paths }
}
