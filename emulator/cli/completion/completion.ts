// The command `completion`: prints the script of a shell, and what can follow the words that its user has typed.

import { didYouMean } from '../../lib/nearest.ts'
import { isUsageError, usageError } from '../../options/usage.ts'
import { helpLine } from '../lib/server-flags.ts'
import type { CommandIo } from '../lib/io.ts'
import { installed, scripts, type Shell } from './scripts.ts'
import { completionOf, type Sources } from './words.ts'

const shells = Object.keys(scripts) as readonly Shell[]

const help = `Usage: flowdouble completion SHELL

Prints a script that lets a shell complete commands, flags, and names of scenarios, quirks, mutants and rules.
SHELL is ${shells.join(', ')}. The shell completes flowdouble, not npx flowdouble: put node_modules/.bin on the path.

To load it, write:
${shells.map((shell) => helpLine(shell, `${installed[shell][1]}   (in ${installed[shell][0]})`)).join('\n')}

With words -- WORDS... it prints what can follow these words, one in a line with a tab and what it is. The scripts ask
so; the last word is the one that is being typed.

Options:
${helpLine('-h, --help', 'print this help')}

Exit codes: 0 done, 2 wrong usage.

Examples:
  flowdouble completion bash >> ~/.bashrc
  flowdouble completion words -- serve --clock ''
`

/**
 * Runs the command with the arguments after `completion`; resolves to its exit code.
 * @param printedBy what a command prints with these arguments.
 */
export async function completionCommand(
  argv: readonly string[],
  { stdout, stderr }: CommandIo,
  printedBy: (argv: readonly string[]) => Promise<string>,
): Promise<number> {
  const [first = '', separator, ...words] = argv
  if (first === 'words' && separator === '--') {
    const { candidates, paths } = await completionOf(words, sourcesOf(printedBy))
    const lines = candidates.map(({ word, about }) => `${word}\t${about}`)
    stdout.write(
      [...lines, ...(paths === null ? [] : [`:${paths}`])].map((one) => `${one}\n`).join(''),
    )
    return 0
  }
  if (argv.includes('--help') || argv.includes('-h')) {
    stdout.write(help)
    return 0
  }
  try {
    const shell = shells.find((one) => one === first)
    if (shell === undefined || argv.length > 1)
      throw usageError(
        `completion takes one shell: ${shells.join(', ')}.${didYouMean(first, shells)}`,
      )
    stdout.write(scripts[shell])
    return 0
  } catch (error) {
    if (!isUsageError(error)) throw error
    stderr.write(`${error.message}\nSee: flowdouble completion --help\n`)
    return 2
  }
}

const sourcesOf = (printedBy: (argv: readonly string[]) => Promise<string>): Sources => ({
  helpOf: (words) => printedBy(words.length === 0 ? ['help'] : [...words, '--help']),
  namesOf: async (command) => {
    const [listed = ''] = (await printedBy([command])).split('\n\n')
    return listed.split('\n').flatMap((line) => /^\S+/.exec(line)?.[0] ?? [])
  },
})
