// A fake terminal: shows the output of a command as lines on a screen.

import { serveCommand } from '../../dist/emulator/internal.js'
import { folder } from './folder.ts'

export type FakeTerminal = {
  /** The lines on the screen; the last one is the one with the cursor. */
  readonly lines: () => readonly string[]
  /** Resolves when the screen so far matches. */
  readonly shows: (pattern: RegExp) => Promise<string>
  readonly write: (text: string) => void
}

/** A screen that understands line ends and the sequence that clears a line. */
export function fakeTerminal(): FakeTerminal {
  const lines = ['']
  const listeners = new Set<() => void>()
  const write = (text: string): void => {
    for (const part of text.split(/(\n|\r\u001b\[2K)/)) {
      if (part === '\n') lines.push('')
      else lines[lines.length - 1] = part.startsWith('\r') ? '' : `${lines.at(-1)}${part}`
    }
    for (const listener of listeners) listener()
  }
  const shows = (pattern: RegExp): Promise<string> =>
    new Promise((resolve) => {
      const check = (): void => {
        const text = lines.join('\n')
        if (pattern.test(text)) resolve(text)
      }
      listeners.add(check)
      check()
    })
  return { lines: () => lines, shows, write }
}

/** The command `serve` in this process, at a terminal that shows both streams, until it is stopped. */
export function serveAtTerminal(...argv: readonly string[]): {
  readonly terminal: FakeTerminal
  readonly stop: () => Promise<number>
} {
  const terminal = fakeTerminal()
  const stream = { write: terminal.write, isTTY: true, columns: 100 }
  const stopping = new AbortController()
  const io = { stdout: stream, stderr: stream, env: { NO_COLOR: '1' }, cwd: folder() }
  const ended = serveCommand(argv, { ...io, signal: stopping.signal })
  return {
    terminal,
    stop: () => {
      stopping.abort()
      return ended
    },
  }
}
