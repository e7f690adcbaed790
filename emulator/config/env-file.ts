// The text of .env as variables: no line takes another one with it unseen.

import { parseEnv } from 'node:util'
import { configFiles } from '../../spec/gateway/subscriptions.ts'
import { refused } from '../lib/refused.ts'

/** The beginning of a setting up to its value, and the quote with which the value begins. */
const setting = /^[^\s=#]+[ \t]*=[ \t]*(["'`]?)/

/**
 * The variables of a text of .env; `export` before a name is left out, and a quoted value can have several lines.
 * Throws a refusal that tells the number of a line which sets nothing [subscriptions/env-lines]: the reader of Node.js
 * takes it for the beginning of the next name. The line itself is not repeated, for it can be part of a secret.
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
        `Line ${at + 1} of ${configFiles.env.name} sets nothing: a line is NAME=value, or begins with #.`,
      )
    }
    if (quote && !line.includes(quote, begun.length)) at = endOfValue(lines, at, quote)
    // One setting at a time: what one of them holds never changes how the next one is read.
    Object.assign(variables, parseEnv([line, ...lines.slice(first + 1, at + 1)].join('\n')))
  }
  return variables
}

/** The line below in which a quoted value ends; its own where no line has the quote. */
function endOfValue(lines: readonly string[], at: number, quote: string): number {
  const end = lines.findIndex((line, below) => below > at && line.includes(quote))
  return end < 0 ? at : end
}
