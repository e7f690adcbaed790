// Each transcript of each README is a real one: the commands print these lines, and leave out only what `…` stands for.

import { expect, onTestFinished, test } from 'vitest'
import { blocksIn } from './pages.ts'
import { openTerminal } from './terminal.ts'

type Shown = { readonly command: string; readonly lines: readonly string[] }

/** The commands of a transcript, each with what it prints. */
const shownIn = (text: string): readonly Shown[] =>
  text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...lines] = part.trimEnd().split('\n')
      return { command: command.replace(/ +# .*$/, ''), lines }
    })

const isServer = ({ command }: Shown): boolean => command.startsWith('npx flowdouble serve')

/** A text without what the clock of the machine decides. */
const timeless = (text: string): string =>
  text.replaceAll(/^ *[\d.]+s/gm, '').replaceAll(/\d+ ms$/gm, '')

/** Matches output that has these lines in this order, with others only where a line is `…`. */
function patternOf(lines: readonly string[]): RegExp {
  const escaped = lines.map((line) =>
    line === '…' ? '(?:.*\n)*' : `${timeless(line).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}\n`,
  )
  return new RegExp(`^${escaped.join('')}$`)
}

test.each(blocksIn('console').map(({ text, page }) => ({ text, file: page.file })))(
  '$file shows what happens: $text',
  async ({ text }) => {
    const shown = shownIn(text)
    const terminal = await openTerminal()
    onTestFinished(() => terminal.stop())
    const servers = new Map<Shown, ReturnType<typeof terminal.type>>()
    for (const one of shown.filter(isServer)) {
      servers.set(one, terminal.type(one.command))
      await servers.get(one)
    }
    for (const one of shown) {
      const output = await (servers.get(one) ?? terminal.type(one.command))
      const last = one.lines.at(-1)
      const printed =
        output.server === undefined
          ? output.stderr + output.stdout
          : last === undefined
            ? ''
            : await output.server.logs(new RegExp(patternOf([last]).source.slice(1), 'm'))
      expect(timeless(terminal.asPrinted(printed))).toMatch(patternOf(one.lines))
    }
  },
)
