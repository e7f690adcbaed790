// What a person sees of a server: a banner, a line per request and run, and what to try next.

import { relative } from 'node:path'
import pc from 'picocolors'
import type { Deployment } from '../../spec/language.ts'
import { printable } from '../client/printable.ts'
import { packageFile } from '../edge/node/package-files.ts'
import type { Emulator } from '../edge/node/server.ts'
import type { Entry } from '../server/journal.ts'
import type { Effect } from '../machine.ts'
import { replaceToken, splitTarget } from '../http/requests.ts'
import type { CommandIo } from './io.ts'
import { knownKeys, socketUrlOf } from './serve-addresses.ts'
import type { Gateway } from '../edge/gateway/handle.ts'

const colorsOf = ({ stdout, env }: CommandIo): ReturnType<typeof pc.createColors> =>
  pc.createColors(stdout.isTTY === true && !env['NO_COLOR'])

/** Addresses, the settings that matter, and how to go on. */
export function banner(
  emulators: readonly [Emulator, ...Emulator[]],
  io: CommandIo,
  gateway?: Gateway,
): string {
  const colors = colorsOf(io)
  const { seed, clock, pace, preview } = emulators[0].options
  const settings = [`seed ${seed}`, `clock ${clock}`, `pace ${pace} ms`, `previews ${preview}`]
  // Whoever gave the token knows it; nobody else reads it here.
  if (emulators.some(({ options }) => options.token !== null))
    settings.push(`bearer token needed${emulators.length > 1 ? ' on local' : ''}`)
  const quirks = new Set(emulators.flatMap(({ options }) => options.quirk))
  if (quirks.size > 0) settings.push(`quirks ${[...quirks].join(', ')}`)
  const blocks = emulators.map((emulator) => {
    const title = emulators.length > 1 ? `  ${colors.bold(emulator.options.deployment)}\n` : ''
    const lines = placesOf(emulator).map(([name, text]) => {
      const isAddress = /^\w+:\/\//.test(text)
      return `  ${name.padEnd(9)}  ${isAddress ? colors.cyan(text) : printable(text)}\n`
    })
    return title + lines.join('')
  })
  if (gateway !== undefined)
    blocks.push(`  Webhooks   ${colors.cyan(`${gateway.url}/webhooks/NAME`)}\n`)
  const [first, second] = emulators.map((emulator) => clientFlags(emulator))
  return `
  ${colors.bold('flowdouble')}  a test double for a workflow execution server

${blocks.join(emulators.length > 1 ? '\n' : '')}  ${colors.dim(printable(settings.join(' · ')))}

  Submit a workflow:  npx flowdouble run WORKFLOW.json ${first}
${second === undefined ? '' : `  or on hosted:       npx flowdouble run WORKFLOW.json ${second}\n`}  Stop with Ctrl+C.

`
}

/** What to write down of a server: names and values. */
function placesOf(emulator: Emulator): readonly (readonly [name: string, text: string])[] {
  const { url, options } = emulator
  const socket = socketUrlOf(emulator)
  if (options.deployment === 'local') {
    return [
      ['HTTP', url],
      ['WebSocket', `${socket}?clientId=YOUR-ID`],
    ]
  }
  const known = knownKeys(emulator).map(({ key, tier }) => `${key} (${tier})`)
  const users = options.accounts.map(({ user, tier }) => `those of ${user} (${tier})`)
  const links = emulator.signedUrl
  return [
    ['HTTP', `${url}/api`],
    ['WebSocket', `${socket}?token=YOUR-KEY`],
    ...(links === null ? [] : [['Links', links] as const]),
    ['Keys', (known.length > 0 ? known : users).join(', ')],
  ]
}

/** Flags of `run` for this server. Secrets that a user gave are left to the user. */
function clientFlags(emulator: Emulator): string {
  const { url, options } = emulator
  if (options.deployment === 'local')
    return `--url ${options.token === null ? url : `"${url}/?token=TOKEN"`}`
  const key = knownKeys(emulator)[0]?.key
  return `--url ${url} ${key === undefined ? '--api-key-env NAME' : `--api-key ${key}`}`
}

/** What to try after a first run. */
export function nextStep(emulator: Emulator, succeeded: boolean, cwd: string): string {
  const { url, options } = emulator
  const example = packageFile('recordings/workflows/image-to-image.json')
  const near = relative(cwd, example)
  const opening = succeeded
    ? 'That was a run through this server. It goes on serving; point your client at it, or try:'
    : 'The run did not succeed; the server goes on serving. Try:'
  return `
${opening}
  npx flowdouble run ${near.startsWith('..') ? example : near} ${clientFlags(emulator)}
  curl ${options.deployment === 'local' ? `${url}/history` : `-H "X-API-Key: ${knownKeys(emulator)[0]?.key ?? 'YOUR-KEY'}" ${url}/api/history_v2`}
`
}

type Reply = Extract<Effect, { kind: 'reply' }>

/** Shows each request and each run as a line. `mark` tells the lines of two servers apart. */
export function createWatch(io: CommandIo, mark?: Deployment): { show: (entry: Entry) => void } {
  const colors = colorsOf(io)
  const server = mark === undefined ? '' : `${colors.dim(mark.padEnd('hosted'.length))}  `
  const startedAtMs = new Map<string, number>()
  const line = (atMs: number, text: string): void => {
    io.stdout.write(`${colors.dim(`${(atMs / 1000).toFixed(3).padStart(9)}s`)}  ${server}${text}\n`)
  }
  const show = ({ input, effects }: Entry): void => {
    for (const effect of effects) {
      if (effect.kind === 'reply' && input.kind === 'request') {
        const { method, target, links } = input
        // The queries of signed links are long.
        const shown = links ? `${splitTarget(target)[0]} (signed link)` : withoutToken(target)
        const status = effect.status < 400 ? colors.green(effect.status) : colors.red(effect.status)
        line(input.atMs, `${status} ${printable(`${method} ${shown}`)}${hint(target, effect)}`)
      }
      if (effect.kind === 'leak') line(input.atMs, colors.yellow(`warning: ${leakBy(effect)}`))
      if (effect.kind !== 'run') continue
      const { prompt_id, state } = effect
      if (state === 'started') startedAtMs.set(prompt_id, input.atMs)
      else {
        const took = input.atMs - (startedAtMs.get(prompt_id) ?? input.atMs)
        startedAtMs.delete(prompt_id)
        const word = state === 'success' ? colors.green(state) : colors.red(state)
        line(
          input.atMs,
          `${word} run ${printable(prompt_id)} ${colors.dim(`${Math.round(took)} ms`)}`,
        )
      }
    }
  }
  return { show }
}

/** What is wrong when a client takes its key along to a signed link. */
const leakBy = ({ where }: { readonly where: string }): string =>
  `a client sent its key (${where}) along to a signed link, which is another host`

const withoutToken = (target: string): string => replaceToken(target, () => '***')

/** Why a submit was refused, and what lets it through. */
function hint(target: string, { status, body }: Reply): string {
  if (
    status !== 400 ||
    typeof body !== 'string' ||
    !/^(\/api)?\/prompt$/.test(splitTarget(target)[0])
  )
    return ''
  const { error, message = '' } = JSON.parse(body) as {
    error?: { message: string; details: string }
    message?: string
  }
  // Hosted refuses what it cannot read with a message alone.
  const reason = printable(
    error === undefined ? message : `${error.message} ${error.details}`.trim(),
  )
  const ways: string[] = []
  if (body.includes('value_not_in_list'))
    ways.push('--models any accepts model files that are not listed')
  if (body.includes('does not exist.')) {
    ways.push('--unknown-nodes accept runs them as pass-through, --object-info FILE teaches them')
  }
  return ways.reduce((text, way) => `${text}\n            ${way}`, `  ${reason}`)
}
