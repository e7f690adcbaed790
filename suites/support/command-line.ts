// Runs commands for cases in this process, those of the gateway with a temporary configuration directory.

import { createHmac } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import type { GatewayOptions } from 'flowdouble'
import {
  gatewayCommand,
  serveCommand,
  type StartGateway,
  webhookCommand,
} from '../../dist/emulator/internal.js'
import type { quirks } from '../../spec/truth/quirks.ts'
import { expect } from '../judge/expect.ts'
import { type GatewayRuleId, proves, provesQuirk } from '../judge/proves.ts'
import { folder } from './folder.ts'
import { type Listening, listening } from './for-test.ts'

export type CommandResult = {
  readonly argv: readonly string[]
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** Standard output as JSON. Throws if it is not valid JSON. */
  readonly json: () => any
}

/**
 * Expects that a command has ended with this code, and that what it has written matches: a text is a part of it, an empty one all
 * of it. `hides` is in none of it.
 */
export function expectEnd(
  result: CommandResult,
  expected: {
    readonly code: number
    readonly stdout?: string | RegExp
    readonly stderr?: string | RegExp
    readonly hides?: string | RegExp
  },
): void {
  const { argv, code, stdout, stderr } = result
  const matching = (text: string | RegExp = /(?:)/): unknown =>
    text === ''
      ? ''
      : typeof text === 'string'
        ? expect.stringContaining(text)
        : expect.stringMatching(text)
  expect({ argv, code, stdout, stderr }).toEqual({
    argv,
    code: expected.code,
    stdout: matching(expected.stdout),
    stderr: matching(expected.stderr),
  })
  if (expected.hides !== undefined) expect(stdout + stderr).not.toMatch(expected.hides)
}

/** The environment of a command. */
export type CommandContext = {
  /** Standard input. */
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly isTerminal?: boolean
}

export type CommandLine = {
  /** The configuration directory. */
  readonly dir: string
  /** Runs `webhook` or `gateway` with these arguments on the directory. */
  readonly run: (...argv: readonly string[]) => Promise<CommandResult>
  readonly runIn: (context: CommandContext, ...argv: readonly string[]) => Promise<CommandResult>
  readonly path: (name: string) => string
  readonly has: (name: string) => boolean
  readonly read: (name: string) => string
  readonly write: (name: string, text: string | Buffer, mode?: number) => void
  readonly mode: (name: string) => number
  /** The subscriptions file as JSON. */
  readonly routes: () => any
}

export const subscriptionsName = 'webhook_subscriptions.json'

/** A config.yaml that enables webhooks, with further lines below `extra`. */
export const enabled = (...extra: readonly string[]): string =>
  [
    'platforms:',
    '  webhook:',
    '    enabled: true',
    ...(extra.length === 0 ? [] : ['    extra:', ...extra.map((line) => `      ${line}`)]),
    '',
  ].join('\n')

/** The body of a case that gets a command line, by default one where webhooks are enabled. */
export const withCli =
  (body: (cli: CommandLine) => Promise<void>, config: string | null = enabled()) =>
  async (): Promise<void> => {
    const dir = folder()
    if (config !== null) writeFileSync(join(dir, 'config.yaml'), config)
    await body(commandLineAt(dir))
  }

/** A case that proves rules with a command line. */
export function provesCli(
  ids: GatewayRuleId | readonly GatewayRuleId[],
  body: (cli: CommandLine) => Promise<void>,
  config?: string | null,
): void {
  proves(ids, withCli(body, config))
}

/** A case for a quirk of the commands. */
export function provesCliQuirk(
  id: Extract<keyof typeof quirks, `webhooks.${string}`>,
  body: (cli: CommandLine) => Promise<void>,
  config?: string,
): void {
  provesQuirk(id, withCli(body, config))
}

export function commandLineAt(dir: string): CommandLine {
  const path = (name: string): string => join(dir, name)
  const read = (name: string): string => readFileSync(path(name), 'utf8')
  const runIn: CommandLine['runIn'] = (context, ...argv) =>
    runCommand(context, [...argv.slice(0, 2), '--config-dir', dir, ...argv.slice(2)])
  return {
    dir,
    run: (...argv) => runIn({}, ...argv),
    runIn,
    path,
    has: (name) => existsSync(path(name)),
    read,
    write: (name, text, mode) =>
      writeFileSync(path(name), text, mode === undefined ? {} : { mode }),
    mode: (name) => statSync(path(name)).mode & 0o777,
    routes: () => JSON.parse(read(subscriptionsName)) as unknown,
  }
}

/** Runs a command in this process. The environment is only what the caller passes. */
export async function runCommand(
  context: CommandContext,
  argv: readonly string[],
): Promise<CommandResult> {
  const { io, ended } = ioOf(context, argv)
  const [group, ...rest] = argv
  const command = group === 'webhook' ? webhookCommand : gatewayCommand
  return ended(await command(rest, io))
}

/** Runs `serve` with flags that it rejects: starting a process takes longer than the command. */
export async function runServe(...argv: readonly string[]): Promise<CommandResult> {
  const { io, ended } = ioOf({ env: process.env }, argv)
  return ended(await serveCommand(argv, io))
}

function ioOf(
  { stdin = '', env = {}, isTerminal = false }: CommandContext,
  argv: readonly string[],
) {
  let [stdout, stderr] = ['', '']
  const io = {
    stdout: { write: (text: string) => (stdout += text), isTTY: isTerminal },
    stderr: { write: (text: string) => (stderr += text), isTTY: isTerminal },
    stdin: () => Readable.from([Buffer.from(stdin)]),
    env,
    cwd: folder(),
  }
  const ended = (code: number): CommandResult => ({
    argv,
    code,
    stdout,
    stderr,
    json: () => JSON.parse(stdout) as unknown,
  })
  return { io, ended, said: () => stdout }
}

/** The options with which `gateway run` would start its gateway. */
export async function startOptions(context: CommandContext, ...argv: readonly string[]) {
  const { io, ended } = ioOf(context, argv)
  const stop = new AbortController()
  let options: GatewayOptions | undefined
  const start: StartGateway = (given) => {
    options = given
    stop.abort()
    return Promise.resolve({
      url: `http://${given.host}:${given.port}`,
      port: given.port ?? 0,
      routes: () => [],
      close: () => Promise.resolve(),
    })
  }
  const code = await gatewayCommand(['run', ...argv], { ...io, signal: stop.signal }, start)
  return { ...ended(code), options }
}

/** The options with which the gateway of this command line would start. Throws if it would not start. */
export const optionsOf = async (cli: CommandLine, env = {}, ...argv: string[]) => {
  const { options, stderr } = await startOptions({ env }, '--config-dir', cli.dir, ...argv)
  if (options === undefined) throw new Error(`The gateway was not started: ${stderr}`)
  return options
}
/** The address that subscribing prints for a route `a`. */
export const urlOf = async (cli: CommandLine, env = {}): Promise<string> =>
  (await cli.runIn({ env }, 'webhook', 'subscribe', 'a', '--json')).json().webhook_url

/** Runs the wizard on a terminal: each answer is typed after its question appears. */
export async function runWizard(
  argv: readonly string[],
  answers: readonly (readonly [question: RegExp, answer: string])[],
): Promise<CommandResult> {
  const { io, ended, said } = ioOf({ isTerminal: true }, argv)
  const keyboard = Object.assign(new PassThrough(), { isTTY: true })
  const waiting = [...answers]
  let seen = 0
  const write = (text: string): void => {
    io.stdout.write(text)
    const [next] = waiting
    if (next === undefined || !next[0].test(said().slice(seen))) return
    seen = said().length
    waiting.shift()
    setImmediate(() => keyboard.write(next[1]))
  }
  const stdout = { ...io.stdout, write }
  const code = await gatewayCommand(argv, { ...io, stdout, stdin: () => keyboard })
  return ended(code)
}

/** A request that a receiver got. */
export type ReceivedRequest = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export type ReceivingEndpoint = Listening & {
  readonly got: ReceivedRequest[]
  /** Resolves when the next request has arrived. */
  readonly arrival: Promise<void>
}

/** A receiver that accepts everything until the test is over, and sends each request the same answer; null never answers. */
export async function startReceiving(
  answer: { readonly status: number; readonly body: string } | null,
): Promise<ReceivingEndpoint> {
  const got: ReceivedRequest[] = []
  let arrive = (): void => {}
  const arrival = new Promise<void>((resolve) => (arrive = resolve))
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      got.push({ method, path, headers, body: Buffer.concat(chunks) })
      arrive()
      if (answer !== null)
        response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body)
    })
  })
  return { ...(await listening(server)), got, arrival }
}

export const hmac = (
  secret: string | Buffer,
  text: string | Buffer,
  encoding: 'hex' | 'base64' = 'hex',
): string => createHmac('sha256', secret).update(text).digest(encoding)

/** A gateway of `gateway run`, in this process. */
export type RunningCommand = {
  readonly url: string
  /** What the command has printed so far. */
  readonly said: () => string
  /** Stops the command as a signal does. */
  readonly stop: () => Promise<CommandResult>
}

/** Runs `gateway run` on a free port until it listens. Rejects if it ends before that. */
export async function runGateway(
  cli: CommandLine,
  context: CommandContext = {},
  ...argv: readonly string[]
): Promise<RunningCommand> {
  const { io, ended, said } = ioOf(context, argv)
  const stop = new AbortController()
  let listen = (): void => {}
  const listening = new Promise<void>((resolve) => (listen = resolve))
  const stdout = {
    ...io.stdout,
    write: (text: string) => {
      io.stdout.write(text)
      if (/http:\/\/\S+:\d+/.test(said())) listen()
    },
  }
  const own = ['run', '--config-dir', cli.dir, '--port', '0', ...argv]
  const over = gatewayCommand(own, { ...io, stdout, signal: stop.signal })
  const early = over.then((code) => {
    throw new Error(`It ended with ${code}: ${ended(code).stderr}`)
  })
  early.catch(() => undefined)
  await Promise.race([listening, early])
  return {
    url: /http:\/\/[^\s"/]+:\d+/.exec(said())![0],
    said,
    stop: async () => {
      stop.abort()
      return ended(await over)
    },
  }
}

/** Posts an empty object to a route, signed as the code host does; resolves to the status. */
export async function postTo(url: string, name: string, secret: string): Promise<number> {
  const headers = { 'X-Hub-Signature-256': `sha256=${hmac(secret, '{}')}` }
  const reply = await fetch(`${url}/webhooks/${name}`, { method: 'POST', headers, body: '{}' })
  await reply.text()
  return reply.status
}
