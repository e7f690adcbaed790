// The command `gateway setup`: takes its answers from flags or from the terminal, and writes them to the configuration.

import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { exitCodes, gatewaySettings } from '../../../spec/gateway/subscriptions.ts'
import {
  type SetupAnswers,
  configDirOf,
  readSettings,
  writeSettings,
} from '../../config/config-dir.ts'
import { isOn, type Settings } from '../../config/settings.ts'
import { usageError } from '../../options/usage.ts'
import { requireGivenSecret, requireKey } from '../../gateway/subscriptions.ts'
import { refused } from '../../lib/refused.ts'
import { type Flags, readSecret } from '../lib/command.ts'
import type { CommandIo } from '../lib/io.ts'

/** Runs the command. Settings that no flag and no answer mentions stay as they are. */
export async function setUpGateway(flags: Flags, io: CommandIo): Promise<number> {
  if (flags.words.length > 0) throw usageError('gateway setup takes flags only.')
  const dir = configDirOf(flags.text('config-dir'), io.env, io.cwd)
  const given = await flagAnswers(flags, io)
  const isAsking = !flags.isSet('yes')
  const terminal = io.stdin?.()
  if (isAsking && terminal?.isTTY !== true) {
    throw usageError(
      'There is no terminal to ask on. Give the answers as flags, together with --yes.',
    )
  }
  const settings = await readSettings(dir, { env: {} })
  const answers = isAsking ? await ask(given, settings, io) : given
  if (typeof answers.secret === 'string') {
    requireGivenSecret(answers.secret, flags.quirks)
    requireKey(answers.secret)
  }
  const written = await writeSettings(dir, answers)
  const after = await readSettings(dir, { env: io.env })
  if (flags.isJson) {
    const { enabled, host, port, secret } = after
    const summary = { config_dir: dir, written, enabled, host, port, has_secret: secret !== null }
    io.stdout.write(`${JSON.stringify(summary)}\n`)
  } else {
    io.stdout.write(report(written, after))
  }
  for (const variable of overruling(answers, io.env)) {
    io.stderr.write(`${variable} is set in the environment and overrides the value just written.\n`)
  }
  return exitCodes.done
}

async function flagAnswers(flags: Flags, io: CommandIo): Promise<SetupAnswers> {
  const [isOnGiven, isOffGiven] = [flags.isSet('enable'), flags.isSet('disable')]
  if (isOnGiven && isOffGiven) throw usageError('Either --enable or --disable.')
  const host = flags.text('host')?.trim()
  if (host === '') throw usageError('--host needs an address.')
  const text = flags.text('port')
  const port = text === undefined ? undefined : readPort(text)
  if (text !== undefined && port === undefined)
    throw usageError('--port must be a port number, 1 to 65535.')
  const secret = await readSecret(flags, io)
  return {
    ...((isOnGiven || isOffGiven) && { enabled: isOnGiven }),
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(secret !== undefined && { secret }),
  }
}

function readPort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return port > 0 && port < 65_536 ? port : undefined
}

/** The environment variables that override answers. */
const overruling = (answers: SetupAnswers, env: CommandIo['env']): readonly string[] =>
  Object.keys(answers).flatMap((name) => {
    const setting = gatewaySettings[name as keyof SetupAnswers]
    return 'variable' in setting && env[setting.variable] ? setting.variable : []
  })

function report(written: readonly string[], { enabled, host, port, secret }: Settings): string {
  const lines = [
    ...(written.length === 0 ? ['Nothing to change.'] : written.map((path) => `Wrote ${path}`)),
    enabled ? `Webhooks are enabled on ${host}, port ${port}.` : 'Webhooks are not enabled.',
    secret === null
      ? 'No global secret is set: each subscription has its own secret, and each static route needs one.'
      : 'A global secret is set; it applies to routes without a secret.',
  ]
  const next = `
Next:
  flowdouble webhook subscribe NAME   create a route
  flowdouble gateway run              start the gateway (restart it if it is running)
`
  return `${lines.join('\n')}\n${enabled ? next : ''}`
}

/** Asks what the flags leave open. An empty answer keeps the current value. */
async function ask(given: SetupAnswers, settings: Settings, io: CommandIo): Promise<SetupAnswers> {
  const { question, hidden, close } = openTerminal(io)
  try {
    const answers: Record<string, unknown> = { ...given }
    while (answers['enabled'] === undefined) {
      const answer = (await question('Enable webhooks (yes or no)? [yes] ')).trim()
      if (answer === '' || /^y$/i.test(answer) || isOn(answer)) answers['enabled'] = true
      else if (/^(n|no|off|false|0)$/i.test(answer)) answers['enabled'] = false
    }
    while (answers['enabled'] === true && answers['port'] === undefined) {
      const answer = (await question(`Port? [${settings.port}] `)).trim()
      const port = answer === '' ? settings.port : readPort(answer)
      if (port === undefined) io.stdout.write('The port must be a number, 1 to 65535.\n')
      else answers['port'] = port
    }
    if (answers['enabled'] === true && answers['secret'] === undefined) {
      const kept = settings.secret === null ? 'for none' : 'keeps the current one'
      const secret = await hidden(`Global secret (input hidden; leave empty ${kept}): `)
      if (secret !== '') answers['secret'] = secret
    }
    return answers
  } finally {
    close()
  }
}

type Terminal = {
  readonly question: (text: string) => Promise<string>
  /** The same, with hidden input. */
  readonly hidden: Terminal['question']
  readonly close: () => void
}

/** A terminal to ask on. A question throws a refusal when the user stops, with Ctrl+C or by ending the input. */
function openTerminal({ stdin, stdout }: CommandIo): Terminal {
  if (stdin === undefined) throw refused('There is no terminal to ask on.')
  let isHidden = false
  const output = new Writable({
    write: (chunk: Buffer, _, done) => {
      if (!isHidden) stdout.write(chunk.toString())
      done()
    },
  })
  const lines = createInterface({ input: stdin(), output, terminal: true, historySize: 0 })
  const stop = new AbortController()
  lines.once('close', () => stop.abort())
  const question: Terminal['question'] = (text) =>
    lines.question(text, { signal: stop.signal }).catch(() => {
      throw refused('\nStopped: nothing was written.')
    })
  return {
    question,
    hidden: async (text) => {
      stdout.write(text)
      isHidden = true
      try {
        return await question('')
      } finally {
        isHidden = false
        stdout.write('\n')
      }
    },
    close: () => lines.close(),
  }
}
