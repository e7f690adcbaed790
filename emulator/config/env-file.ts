// Parses .env into variables. No malformed line silently swallows another one.

import { parseEnv } from 'node:util'
import { configFiles } from '../../spec/gateway/subscriptions.ts'
import { refused } from '../lib/refused.ts'

/** The start of a setting up to its value, and the quote that opens the value. */
const setting = /^[^\s=#]+[ \t]*=[ \t]*(["'`]?)/

/**
 * The variables in the text of .env; ignores `export` before a name; a quoted value can span lines.
 * Throws a refusal with the number of a line that sets nothing [subscriptions/env-lines]: the parser of Node.js would read
 * it as part of the next name. The message does not repeat the line, which can be part of a secret.
 */
export function readVariables(text: string): Readonly<Record<string, string | undefined>> {
  const variables: Record<string, string | undefined> = {}
  const lines = text.split(/\r?\n/)
  for (let at = 0; at < lines.length; at++) {
    const first = at
    const line = (lines[at] ?? '').replace(/^\s*(?:export\s+)?/, '')
    if (line === '' || line.startsWith('#')) continue
    const [begun, quote] = setting.exec(line) ?? []
    if (begun === undefined) {
      throw refused(
        `Line ${at + 1} of ${configFiles.env.name} is not valid: write NAME=value, or begin a comment with #.`,
      )
    }
    if (quote && !line.includes(quote, begun.length)) at = endOfValue(lines, at, quote)
    // One setting at a time: the content of one never changes how the next one is read. Node 20.19.0 takes the comment of
    // a line that does not end for a part of the value.
    const own = [line, ...lines.slice(first + 1, at + 1)].join('\n')
    Object.assign(variables, parseEnv(`${own}\n`))
  }
  return variables
}

/** The line where a quoted value ends; its first line if no line closes the quote. */
function endOfValue(lines: readonly string[], at: number, quote: string): number {
  const end = lines.findIndex((line, below) => below > at && line.includes(quote))
  return end < 0 ? at : end
}
