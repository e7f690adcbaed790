// Runs commands for cases in this process, those of the gateway with a temporary configuration directory.

import { createHmac } from 'node:crypto'
import { statSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { PassThrough } from 'node:stream'
import type { GatewayOptions } from 'flowdouble'
import {
  type CommandIo,
  gatewayCommand,
  serveCommand,
  type StartGateway,
  webhookCommand,
} from '../../dist/emulator/internal.js'
import type { quirks } from '../../spec/truth/quirks.ts'
import { expect } from '../judge/expect.ts'
import { type GatewayRuleId, proves, provesQuirk } from '../judge/proves.ts'
import { like } from '../judge/rows.ts'
import { type Files, filesIn, newFiles } from './files.ts'
import { type Listening, listening } from './for-test.ts'
import { type Output, outputOf, type Running, running, type Surroundings } from './in-process.ts'

export type CommandResult = Output & {
  readonly code: number
  readonly argv: readonly string[]
  /** Standard output as JSON. Throws if it is not valid JSON. */
  readonly json: () => any
}

/** Expects that a command has ended with this code, and what it has written; `hides` is in none of it. */
export function expectEnd(
  result: Output & { readonly argv?: readonly string[] },
  expected: {
    readonly code: number
    readonly stdout?: unknown
    readonly stderr?: unknown
    readonly hides?: string | RegExp
  },
): void {
  const { argv, code, stdout, stderr } = result
  const { stdout: out = /(?:)/, stderr: err = /(?:)/, hides } = expected
  expect({ argv, code, stdout, stderr }).toEqual({
    argv,
    code: expected.code,
    stdout: like(out),
    stderr: like(err),
  })
  if (hides !== undefined) expect(stdout + stderr).not.toMatch(hides)
}

/** The environment of a command. */
export type CommandContext = {
  /** Standard input. */
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly isTerminal?: boolean
}

/** The configuration directory. */
export type CommandLine = Pick<Files, 'dir' | 'path' | 'has' | 'read' | 'write'> & {
  /** Runs `webhook` or `gateway` with these arguments on the directory. */
  readonly run: (...argv: readonly string[]) => Promise<CommandResult>
  readonly runIn: (context: CommandContext, ...argv: readonly string[]) => Promise<CommandResult>
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
    const { dir } = newFiles(config === null ? {} : { 'config.yaml': config })
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
  const files = filesIn(dir)
  const runIn: CommandLine['runIn'] = (context, ...argv) =>
    runCommand(context, [...argv.slice(0, 2), '--config-dir', dir, ...argv.slice(2)])
  return {
    ...files,
    run: (...argv) => runIn({}, ...argv),
    runIn,
    mode: (name) => statSync(files.path(name)).mode & 0o777,
    routes: () => JSON.parse(files.read(subscriptionsName)) as unknown,
  }
}

/** Runs a command in this process. */
export const runCommand = async (
  context: CommandContext,
  [group, ...argv]: readonly string[],
): Promise<CommandResult> =>
  resultOf(
    [`${group}`, ...argv],
    await outputOf(group === 'webhook' ? webhookCommand : gatewayCommand, argv, placeOf(context)),
  )

/** Runs `serve` with flags that it rejects: starting a process takes longer than the command. */
export const runServe = async (...argv: readonly string[]): Promise<CommandResult> =>
  resultOf(argv, await outputOf(serveCommand, argv, { env: process.env }))

const placeOf = ({ isTerminal, ...context }: CommandContext): Surroundings => ({
  ...context,
  ...(isTerminal && { terminal: 80 }),
})

const resultOf = (
  argv: readonly string[],
  output: Output & { readonly code: number },
): CommandResult => ({ ...output, argv, json: () => JSON.parse(output.stdout) as unknown })

/** The options with which `gateway run` would start its gateway. */
export async function startOptions(context: CommandContext, ...argv: readonly string[]) {
  const stop = new AbortController()
  let options: GatewayOptions | undefined
  const start: StartGateway = (given) => {
    options = given
    stop.abort()
    return Promise.resolve({
      url: `http://${given.host}:${given.port}`,
      port: given.port ?? 0,
      routes: () => [],
      drain: () => Promise.resolve(0),
      close: () => Promise.resolve(),
    })
  }
  const place = { ...placeOf(context), signal: stop.signal }
  const run = (words: readonly string[], io: CommandIo) => gatewayCommand(words, io, start)
  return { ...(await outputOf(run, ['run', ...argv], place)), options }
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
  const keyboard = Object.assign(new PassThrough(), { isTTY: true })
  const waiting = [...answers]
  let seen = 0
  const onWrite = (stdout: string): void => {
    const [next] = waiting
    if (next === undefined || !next[0].test(stdout.slice(seen))) return
    seen = stdout.length
    waiting.shift()
    setImmediate(() => keyboard.write(next[1]))
  }
  const place = { terminal: 80, onWrite, stdin: () => keyboard }
  return resultOf(argv, await outputOf(gatewayCommand, argv, place))
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
export type RunningCommand = Running & { readonly url: string }

/** Runs `gateway run` on a free port until it listens. Rejects if it ends before that. */
export async function runGateway(
  cli: CommandLine,
  context: CommandContext = {},
  ...argv: readonly string[]
): Promise<RunningCommand> {
  const own = ['run', '--config-dir', cli.dir, '--port', '0', ...argv]
  const command = await running(gatewayCommand, own, placeOf(context))
  return { ...command, url: /http:\/\/[^\s"/]+:\d+/.exec(command.said())![0] }
}

/** Posts an empty object to a route, signed as the code host does; resolves to the status. */
export async function postTo(url: string, name: string, secret: string): Promise<number> {
  const headers = { 'X-Hub-Signature-256': `sha256=${hmac(secret, '{}')}` }
  const reply = await fetch(`${url}/webhooks/${name}`, { method: 'POST', headers, body: '{}' })
  await reply.text()
  return reply.status
}
