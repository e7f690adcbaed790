// The command `explain`: shows what an entry of a journal did, what caused it, and why it was answered so.

import { resolve } from 'node:path'
import { printable } from '../client/terminal-text.ts'
import { readNamedFile } from '../config/named-files.ts'
import { explain, type Explanation, parseJournal } from '../journal/explain.ts'
import { gatewayReader } from '../journal/explain-gateway.ts'
import { isRefused } from '../lib/refused.ts'
import { isUsageError, usageError } from '../options/usage.ts'
import { askInTime, timeoutOf } from './lib/ask-in-time.ts'
import { parseFlags } from './lib/command.ts'
import type { CommandIo } from './lib/io.ts'

const help = `Usage: flowdouble explain N (--url URL | --journal FILE) [--json]

Explains entry N of the journal of a server or gateway, from 0 on: what came in and what went out, the earlier entries
that caused it, why a request was answered so and not otherwise, and the rules behind the answer. The entries of GET
/_flowdouble/requests have these numbers.

Options:
  --url URL          read the journal of a running server or gateway
  --token TOKEN      its control token
  --timeout SECONDS  time limit for its answer (default 60)
  --journal FILE     read a journal file
  --json             print one JSON object {entry, nowMs, input, effects, causes, reasons, rules}
  -h, --help         print this help

Exit codes: 0 explained, 1 the journal does not have the entry, 2 wrong usage or no journal: it cannot be read, or not in
time, or the command was stopped.

Examples:
  flowdouble explain 12 --url http://127.0.0.1:8188
  flowdouble explain 12 --journal run.jsonl --json
`

type Values = Readonly<Record<string, unknown>>

/** Runs the command with the arguments after `explain`; resolves to its exit code. */
export async function explainCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const { stdout, stderr } = io
  try {
    const text = { type: 'string' } as const
    const { values, positionals } = parseFlags(argv, {
      url: text,
      token: text,
      timeout: text,
      journal: text,
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    })
    if (values['help'] === true) {
      stdout.write(help)
      return 0
    }
    const number = numberOf(positionals)
    const journal = parsed(await journalText(values, io))
    const reader = journal.isOfGateway ? gatewayReader : undefined
    const found = explain(journal, number, reader)
    if (found === undefined) {
      stderr.write(`The journal has no entry ${number}, or no longer has it.\n`)
      return 1
    }
    stdout.write(values['json'] === true ? `${JSON.stringify(found, null, 2)}\n` : shown(found))
    return 0
  } catch (error) {
    if (!isUsageError(error) && !isRefused(error)) throw error
    const hint = isUsageError(error) ? 'See: flowdouble explain --help\n' : ''
    stderr.write(`${printable(error.message)}\n${hint}`)
    return 2
  }
}

function numberOf(words: readonly string[]): number {
  const [word = '', ...more] = words
  if (more.length > 0 || !/^\d{1,15}$/.test(word))
    throw usageError('explain needs the number of one journal entry.')
  return Number(word)
}

function parsed(text: string): ReturnType<typeof parseJournal> {
  try {
    return parseJournal(text)
  } catch (error) {
    throw usageError(`This is not the journal of a server or gateway: ${(error as Error).message}.`)
  }
}

/** The journal of a running server, or of a file. */
async function journalText(values: Values, { cwd, signal }: CommandIo): Promise<string> {
  const { url, journal } = values
  if ((typeof url === 'string') === (typeof journal === 'string'))
    throw usageError('Give either --url or --journal.')
  const seconds = timeoutOf(values['timeout'])
  try {
    if (typeof journal === 'string') return readNamedFile(resolve(cwd, journal)).toString()
    const shown = String(url).replace(/\/+$/, '')
    return await askInTime({ shown, seconds, signal }, (stop) => askJournal(shown, values, stop))
  } catch (error) {
    if (isRefused(error)) throw error
    throw usageError(`Cannot read the journal: ${(error as Error).message}.`)
  }
}

async function askJournal(url: string, { token }: Values, signal: AbortSignal): Promise<string> {
  const place = `${url}/_flowdouble/journal`
  const headers = typeof token === 'string' ? { Authorization: `Bearer ${token}` } : {}
  const reply = await fetch(place, { headers, signal })
  if (reply.ok) return reply.text()
  throw new Error(`${place} answered ${reply.status}`)
}

const causeText = ({ entry, nowMs, because, input }: Explanation['causes'][number]): string =>
  `entry ${entry} at ${nowMs} ms, which ${because}: ${input}`

/** An explanation for people. */
function shown({ entry, nowMs, input, effects, causes, reasons, rules }: Explanation): string {
  const list = (title: string, items: readonly string[]): readonly string[] =>
    items.length === 0 ? [] : ['', title, ...items.map((item) => `  ${item}`)]
  const lines = [
    `Entry ${entry} at ${nowMs} ms: ${input}`,
    ...effects.map((effect) => `  ${effect}`),
    ...list('Why', reasons),
    ...list(
      'Rules',
      rules.map(({ id, says }) => `${id}  ${says}`),
    ),
    ...list('Caused by', causes.filter(({ due }) => !due).map(causeText)),
    ...list('What was due then was caused by', causes.filter(({ due }) => due).map(causeText)),
  ]
  return `${lines.map(printable).join('\n')}\n`
}
