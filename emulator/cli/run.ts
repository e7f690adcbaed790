// The command `run`: its flags, its help, and the report at the end of a run.

import { relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { newDisplay } from '../client/display.ts'
import { printable } from '../client/terminal-text.ts'
import { failure, isFailure } from '../client/failure.ts'
import type { Failure, Outcome } from '../client/failure.ts'
import { runWorkflow } from '../client/run.ts'
import type { RunOptions, RunResult } from '../client/run.ts'
import { workflowPath } from '../client/workflow.ts'
import type { Deployment } from '../../spec/language.ts'
import type { CommandIo } from './lib/io.ts'

const exitCodes: Readonly<Record<Outcome, number>> = {
  success: 0,
  failed: 1,
  refused: 1,
  interrupted: 1,
  usage: 2,
  unreachable: 3,
  protocol: 3,
  timeout: 4,
  stopped: 130,
}

const timeoutMaxSeconds = 2_000_000

/** The help text that `--help` prints. */
export const runHelp = `Usage: flowdouble run WORKFLOW.json [options]

Submits a workflow in API format to a server, follows the run, and downloads its outputs. First
uploads the files beside the workflow that its nodes name (image, mask, audio, video, file).
The names text-to-image, image-to-image and failing stand for examples that come with flowdouble.

Options:
  --url URL               server (default http://127.0.0.1:8188): http or https, with or
                          without /api; credentials as http://user:password@host:port or
                          http://host:port/?token=TOKEN
  --api-key-env NAME      environment variable with the API key of a hosted server
  --api-key KEY           the key itself; other users of the machine can see it in the process list
  --deployment WHICH      local or hosted; detected by default: a server with
                          /api/system_stats but without /system_stats is hosted. A key implies
                          hosted; a server with /system_stats takes no key (exit 2)
  --out DIR               directory for the outputs (default output); existing files are kept
  --client-id ID          client id of the socket and the prompt (default: a random UUID)
  --timeout SECONDS       time limit for the command (default 0: none); the server continues its run
  --partner-key-env NAME  environment variable with the API key for partner nodes
  --json                  print one JSON object at the end: {prompt_id, outcome,
                          files: [{node, path, filename, subfolder, type, bytes}],
                          texts: [{node, text}], error?}
  --quiet                 print warnings and errors only
  -h, --help              print this help

Prints the paths of the outputs on stdout, everything else on stderr.

Exit codes:
  0  the run succeeded and its outputs are downloaded
  1  the run failed, was rejected (node errors, tier, balance, full queue) or was interrupted
  2  wrong usage: an invalid flag, workflow file or --out directory
  3  the server is unreachable, rejects the credentials, or sends invalid responses
  4  the --timeout expired
  130  stopped with Ctrl+C; the server continues the run

While it follows a run, the command reports an invalid response (a server error, not JSON, an unknown
status) and asks again; after the sixth in a row it exits with 3.

Examples:
  flowdouble run text-to-image
  flowdouble run portrait.json --url http://192.168.1.20:8188 --out pictures --timeout 600
  flowdouble run portrait.json --json --quiet | jq -r '.files[].path'
  API_KEY=... flowdouble run portrait.json --url https://host --api-key-env API_KEY
  PARTNER_KEY=... flowdouble run video.json --partner-key-env PARTNER_KEY
`

type Flags = RunOptions & { readonly isJson: boolean; readonly isQuiet: boolean }

/** Runs the command with the arguments after `run`; resolves to its exit code. */
export async function runCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const flags = readFlags(argv, io)
  if (flags === 'help') {
    io.stdout.write(runHelp)
    return 0
  }
  if ('outcome' in flags) {
    io.stderr.write(`${flags.message}\nSee: flowdouble run --help\n`)
    return exitCodes[flags.outcome]
  }
  const display = newDisplay(io.stderr, { isQuiet: flags.isQuiet, env: io.env })
  const stop = io.signal === undefined ? {} : { signal: io.signal }
  const result = await runWorkflow({ ...flags, ...stop, onProgress: display.show })
  display.end()
  const remark = remarkOn(result)
  if (remark !== undefined) io.stderr.write(`${printable(remark)}\n`)
  io.stdout.write(flags.isJson ? `${JSON.stringify(result)}\n` : printable(listing(result, io.cwd)))
  return exitCodes[result.outcome]
}

function readFlags(argv: readonly string[], io: CommandIo): Flags | 'help' | Failure {
  try {
    const { values, positionals } = parse(argv)
    if (values.help === true) return 'help'
    const [workflow, ...more] = positionals
    if (workflow === undefined)
      throw failure('usage', 'No workflow given: name a file in API format.')
    if (more.length > 0) throw failure('usage', `Only one workflow at a time: remove ${more[0]}.`)
    const clientId = values['client-id']
    const partnerKey = readApiKey('partner-key-env', values['partner-key-env'], io.env)
    const apiKey = apiKeyOf(values['api-key'], values['api-key-env'], io.env)
    const deployment = deploymentOf(values.deployment)
    return {
      url: values.url,
      workflowPath: workflowPath(io.cwd, workflow),
      outDir: resolve(io.cwd, values.out),
      timeoutMs: millisecondsOf(values.timeout),
      ...(clientId === undefined ? {} : { clientId }),
      ...(partnerKey === undefined ? {} : { partnerKey }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(deployment === undefined ? {} : { deployment }),
      isJson: values.json === true,
      isQuiet: values.quiet === true,
    }
  } catch (error) {
    if (isFailure(error)) return error
    const code = error instanceof TypeError && 'code' in error ? String(error.code) : ''
    if (!code.startsWith('ERR_PARSE_ARGS_')) throw error
    return failure('usage', `${(error as TypeError).message.split('. ')[0]}.`)
  }
}

function parse(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    allowPositionals: true,
    strict: true,
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8188' },
      out: { type: 'string', default: 'output' },
      'client-id': { type: 'string' },
      timeout: { type: 'string', default: '0' },
      'partner-key-env': { type: 'string' },
      'api-key': { type: 'string' },
      'api-key-env': { type: 'string' },
      deployment: { type: 'string' },
      json: { type: 'boolean' },
      quiet: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
}

function millisecondsOf(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (!(seconds <= timeoutMaxSeconds)) {
    throw failure('usage', `--timeout must be 0 to ${timeoutMaxSeconds} seconds, not ${text}.`)
  }
  return seconds * 1000
}

/** The key from the environment variable that a flag names. */
function readApiKey(
  flag: string,
  name: string | undefined,
  env: CommandIo['env'],
): string | undefined {
  if (name === undefined) return undefined
  const key = env[name]
  if (key) return key
  throw failure('usage', `The environment variable ${name} (--${flag}) is not set.`)
}

function apiKeyOf(
  key: string | undefined,
  name: string | undefined,
  env: CommandIo['env'],
): string | undefined {
  if (key !== undefined && name !== undefined)
    throw failure('usage', 'Give --api-key or --api-key-env, not both.')
  return key ?? readApiKey('api-key-env', name, env)
}

function deploymentOf(text: string | undefined): Deployment | undefined {
  if (text === undefined || text === 'local' || text === 'hosted') return text
  throw failure('usage', `--deployment must be local or hosted, not ${text}.`)
}

function remarkOn({ outcome, error, files, texts }: RunResult): string | undefined {
  if (error === undefined) {
    return files.length + texts.length === 0 ? 'The run succeeded without outputs.' : undefined
  }
  const { node, class_type: classType, message, type } = error
  const place = node === undefined ? '' : ` at node ${node}${classType ? ` (${classType})` : ''}`
  if (outcome === 'failed') return `The run failed${place}: ${type}: ${message}`
  return outcome === 'interrupted' ? `The run was interrupted${place}.` : message
}

function listing({ files, texts }: RunResult, cwd: string): string {
  const paths = files.map(({ path }) => {
    const near = relative(cwd, path)
    return `${near.startsWith('..') ? path : near}\n`
  })
  return [...paths, ...texts.map(({ node, text }) => `text of node ${node}: ${text}\n`)].join('')
}
