// What a person sees of a server: a banner, a line per request and run, and what to try next.

import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import pc from 'picocolors'
import { printable } from '../client/display.ts'
import type { Gateway } from '../edge/gateway.ts'
import type { Emulator } from '../edge/node.ts'
import type { Entry } from '../journal.ts'
import type { Effect } from '../machine.ts'
import { replaceToken } from '../requests.ts'
import type { CommandIo } from './run.ts'

const colorsOf = ({ stdout, env }: CommandIo): ReturnType<typeof pc.createColors> =>
  pc.createColors(stdout.isTTY === true && !env['NO_COLOR'])

/** Addresses, the settings that matter, and how to go on. */
export function banner(emulator: Emulator, io: CommandIo, gateway?: Gateway): string {
  const colors = colorsOf(io)
  const { url, options } = emulator
  const { seed, clock, pace, preview, quirk, token } = options
  const settings = [`seed ${seed}`, `clock ${clock}`, `pace ${pace} ms`, `previews ${preview}`]
  // Whoever gave the token knows it; nobody else reads it here.
  if (token !== null) settings.push('bearer token needed')
  const client = token === null ? url : `"${url}/?token=TOKEN"`
  if (quirk.length > 0) settings.push(`quirks ${quirk.join(', ')}`)
  const webhooks =
    gateway === undefined ? '' : `\n  Webhooks   ${colors.cyan(`${gateway.url}/webhooks/NAME`)}`
  return `
  ${colors.bold('flowdouble')}  a test double for a workflow execution server

  HTTP       ${colors.cyan(url)}
  WebSocket  ${colors.cyan(`${url.replace(/^http/, 'ws')}/ws?clientId=YOUR-ID`)}${webhooks}
  ${colors.dim(printable(settings.join(' · ')))}

  Submit a workflow:  npx flowdouble run WORKFLOW.json --url ${client}
  Stop with Ctrl+C.

`
}

/** An example that comes with the package: three folders up from `dist/emulator/cli/`. */
const example = fileURLToPath(
  new URL('../../../recordings/workflows/image-to-image.json', import.meta.url),
)

/** What to try after a first run. */
export function nextStep(emulator: Emulator, succeeded: boolean, cwd: string): string {
  const { url } = emulator
  const near = relative(cwd, example)
  const opening = succeeded
    ? 'That was a run through this server. It goes on serving; point your client at it, or try:'
    : 'The run did not succeed; the server goes on serving. Try:'
  return `
${opening}
  npx flowdouble run ${near.startsWith('..') ? example : near} --url ${url}
  curl ${url}/history
`
}

type Reply = Extract<Effect, { kind: 'reply' }>

/** Shows each request and each run as a line. */
export function createWatch(io: CommandIo): { show: (entry: Entry) => void } {
  const colors = colorsOf(io)
  const startedAtMs = new Map<string, number>()
  const line = (atMs: number, text: string): void => {
    io.stdout.write(`${colors.dim(`${(atMs / 1000).toFixed(3).padStart(9)}s`)}  ${text}\n`)
  }
  const show = ({ input, effects }: Entry): void => {
    for (const effect of effects) {
      if (effect.kind === 'reply' && input.kind === 'request') {
        const { method, target } = input
        const status = effect.status < 400 ? colors.green(effect.status) : colors.red(effect.status)
        line(
          input.atMs,
          `${status} ${printable(`${method} ${withoutToken(target)}`)}${hint(target, effect)}`,
        )
      }
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

const withoutToken = (target: string): string => replaceToken(target, () => '***')

/** Why a submit was refused, and what lets it through. */
function hint(target: string, { status, body }: Reply): string {
  if (
    status !== 400 ||
    typeof body !== 'string' ||
    !/^(\/api)?\/prompt$/.test(target.split('?')[0] ?? '')
  )
    return ''
  const { error } = JSON.parse(body) as { error: { message: string; details: string } }
  const reason = printable(`${error.message} ${error.details}`.trim())
  const ways: string[] = []
  if (body.includes('value_not_in_list'))
    ways.push('--models any accepts model files that are not listed')
  if (body.includes('does not exist.')) {
    ways.push('--unknown-nodes accept runs them as pass-through, --object-info FILE teaches them')
  }
  return ways.reduce((text, way) => `${text}\n            ${way}`, `  ${reason}`)
}
