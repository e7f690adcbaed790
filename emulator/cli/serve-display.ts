// Prints the output of `serve` for people: a banner, and what to try next.

import pc from 'picocolors'
import { printable } from '../client/terminal-text.ts'
import { packageCommand } from '../config/package-files.ts'
import type { Emulator, Gateway } from '../edge/handles.ts'
import type { CommandIo } from './lib/io.ts'
import { knownKeys, socketUrlOf } from './serve-addresses.ts'

const colorsOf = ({ stdout, env }: CommandIo): ReturnType<typeof pc.createColors> =>
  pc.createColors(stdout.isTTY === true && !env['NO_COLOR'])

/** Addresses, important settings, and how to submit a workflow. */
export function banner(
  emulators: readonly [Emulator, ...Emulator[]],
  io: CommandIo,
  gateway?: Gateway,
): string {
  const colors = colorsOf(io)
  const { seed, clock, pace, preview } = emulators[0].options
  const settings = [`seed ${seed}`, `clock ${clock}`, `pace ${pace} ms`, `previews ${preview}`]
  // Whoever configured the token knows it; do not print it.
  if (emulators.some(({ options }) => options.token !== null))
    settings.push(`bearer token required${emulators.length > 1 ? ' on local' : ''}`)
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
  const command = packageCommand()
  const [first, second] = emulators.map((emulator) => clientFlags(emulator))
  return `
  ${colors.bold('flowdouble')}  a test double for a workflow execution server

${blocks.join(emulators.length > 1 ? '\n' : '')}  ${colors.dim(printable(settings.join(' · ')))}

  Submit a workflow:  ${command} run text-to-image ${first}
${second === undefined ? '' : `  or on hosted:       ${command} run text-to-image ${second}\n`}  Stop with Ctrl+C.

`
}

/** The addresses and values to print for a server. */
function placesOf(emulator: Emulator): readonly (readonly [name: string, text: string])[] {
  const { url, options } = emulator
  const socket = socketUrlOf(emulator)
  const control = `${url}/_flowdouble/`
  const inspector = options.worldTokens
    ? [
        ['Worlds', `PUT ${control}worlds/NAME, with the control token`] as const,
        ['Page', `${control}, which asks for it`] as const,
      ]
    : options.control
      ? [['Inspector', control] as const]
      : []
  if (options.deployment === 'local') {
    return [['HTTP', url], ['WebSocket', `${socket}?clientId=YOUR-ID`], ...inspector]
  }
  const known = knownKeys(emulator).map(({ key, tier }) => `${key} (${tier})`)
  const users = options.accounts.map(({ user, tier }) => `those of ${user} (${tier})`)
  const links = emulator.signedUrl
  return [
    ['HTTP', `${url}/api`],
    ['WebSocket', `${socket}?token=YOUR-KEY`],
    ...(links === null ? [] : [['Links', links] as const]),
    ['Keys', (known.length > 0 ? known : users).join(', ')],
    ...inspector,
  ]
}

/** The flags of `run` for this server, with placeholders for secrets that a user configured. */
function clientFlags(emulator: Emulator): string {
  const { url, options } = emulator
  if (options.deployment === 'local')
    return `--url ${options.token === null ? url : `"${url}/?token=TOKEN"`}`
  const key = knownKeys(emulator)[0]?.key
  return `--url ${url} ${key === undefined ? '--api-key-env NAME' : `--api-key ${key}`}`
}

/** What to try after a first run. */
export function nextStep(emulator: Emulator, succeeded: boolean): string {
  const { url, options } = emulator
  const opening = succeeded
    ? 'That was a run on this server. The server keeps running: point your client at it, or try:'
    : 'The run did not succeed. The server keeps running; try:'
  return `
${opening}
  ${packageCommand()} run image-to-image ${clientFlags(emulator)}
  curl ${options.deployment === 'local' ? `${url}/history` : `-H "X-API-Key: ${knownKeys(emulator)[0]?.key ?? 'YOUR-KEY'}" ${url}/api/history_v2`}
`
}
