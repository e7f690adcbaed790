// The command `gateway service`: prints a unit of systemd that runs a gateway, or a worker, with the given flags.

import { stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { configFiles, exitCodes } from '../../../spec/gateway/subscriptions.ts'
import { limits } from '../../../spec/limits.ts'
import { configDirOf, readSettings } from '../../config/config-dir.ts'
import { absoluteCommand } from '../../config/package-files.ts'
import { isPostgres } from '../../edge/gateway/store/place.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { refused } from '../../lib/refused.ts'
import { usageError } from '../../options/usage.ts'
import { bare, type Flags, type FlagTable } from '../lib/command.ts'
import type { CommandIo } from '../lib/io.ts'
import { variableOf } from '../lib/variables.ts'
import { notEnabled } from './configuration.ts'
import { runFlags, settingFlags, workerFlags, workerOptions } from './gateway-run.ts'
import { storePlace } from './gateway-store.ts'
import { countOf, readWork } from './gateway-work.ts'

export const serviceFlags: FlagTable = { ...runFlags, ...bare('user') }

export const serviceHelp = `Options for service [run | work], which passes the flags of that command on (default run):
  --user                 print a unit of this user, instead of one of the system
  Secrets, such as FLOWDOUBLE_CONTROL_TOKEN and PGPASSWORD, stand in ${configFiles.service.name} of the configuration directory.`

/** How much longer than the drain systemd waits before it kills, in seconds. */
const SPARE_S = 10

/** Runs the command. */
export async function printService(flags: Flags, io: CommandIo): Promise<number> {
  const [command = 'run', more] = flags.words
  const commands = ['run', 'work']
  if (!commands.includes(command) || more !== undefined)
    throw usageError(`gateway service takes run or work.${didYouMean(command, commands)}`)
  const isWorker = command === 'work'
  const dir = configDirOf(flags.text('config-dir'), io.env, io.cwd)
  await requireUsable(flags, io, dir, isWorker)
  const name = isWorker ? 'flowdouble-worker' : 'flowdouble-gateway'
  const isUser = flags.isSet('user')
  const path = isUser
    ? `~/.config/systemd/user/${name}.service`
    : `/etc/systemd/system/${name}.service`
  const words = [...absoluteCommand(), 'gateway', command, `--config-dir=${dir}`]
  const start = [...words, ...passedOn(flags, isWorker ? workerFlags : runFlags)]
  const unit = unitText({
    name,
    path,
    isUser,
    start,
    dir,
    cwd: io.cwd,
    search: flags.texts('agent-command').length > 0 ? io.env['PATH'] : undefined,
    owner: isUser ? undefined : await ownerOf(dir),
    stopSeconds: (countOf(flags, 'drain', 0) ?? limits.drain.value) + SPARE_S,
    writes: writtenFolders(flags, io.cwd, dir),
  })
  io.stdout.write(flags.isJson ? `${JSON.stringify({ path, unit })}\n` : unit)
  if (start.some((word) => word.includes('/_npx/')))
    io.stderr.write(
      'This flowdouble is in the cache of npx, which npm may empty: install it first, then print the unit again.\n',
    )
  return exitCodes.done
}

/** Throws a usage error or a refusal for flags and settings with which the service would not start. */
async function requireUsable(
  flags: Flags,
  io: CommandIo,
  dir: string,
  isWorker: boolean,
): Promise<void> {
  // The variables of this shell do not reach the service, so the files have to say everything.
  const { PATH } = io.env
  const given = { env: {}, flags: settingFlags(flags), quirks: flags.quirks }
  if (!(await readSettings(dir, given)).enabled) throw refused(notEnabled(dir))
  await readWork(flags, { ...io, env: { PATH } }, dir)
  const place = storePlace(flags, dir)
  if (isWorker) workerOptions(flags, dir)
  const file = join(dir, configFiles.service.name)
  const instead = (variable: string): string =>
    `Everybody can read a unit: write ${variable}=... to ${file} (chmod 600), and leave it out here.`
  if (flags.text('control-token') !== undefined) throw refused(instead(variableOf('control-token')))
  if (place !== null && isPostgres(place) && hasPassword(place))
    throw refused(instead('PGPASSWORD'))
}

const hasPassword = (place: string): boolean => {
  if (!URL.canParse(place)) return false
  const { password, searchParams } = new URL(place)
  return password !== '' || searchParams.has('password')
}

/** The given flags of a command as words. Throws a usage error for a flag that only the other command has. */
function passedOn(flags: Flags, table: FlagTable): readonly string[] {
  const wordsOf = (name: string): readonly string[] => {
    const { type, multiple } = serviceFlags[name] ?? { type: 'string' }
    if (type === 'boolean') return flags.isSet(name) ? [`--${name}`] : []
    const values = multiple === true ? flags.texts(name) : [flags.text(name)]
    return values.flatMap((value) => (value === undefined ? [] : `--${name}=${value}`))
  }
  const foreign = Object.keys(runFlags).find((name) => !(name in table) && wordsOf(name).length > 0)
  if (foreign !== undefined) throw usageError(`gateway work has no flag --${foreign}.`)
  const shared = [
    ...(flags.like === null ? [] : [`--like=${flags.like}`]),
    ...['quirk', 'no-quirk'].flatMap((name) => flags.texts(name).map((id) => `--${name}=${id}`)),
  ]
  return [...Object.keys(table).flatMap(wordsOf), ...shared]
}

/** The folders to which a gateway with these flags writes. */
function writtenFolders(flags: Flags, cwd: string, dir: string): readonly string[] {
  const place = storePlace(flags, dir)
  const files = [place === null || isPostgres(place) ? undefined : place, flags.text('ready-file')]
  const folders = files.flatMap((file) => (file === undefined ? [] : dirname(resolve(cwd, file))))
  return [...new Set([dir, ...folders])]
}

/** The user to whom the configuration belongs: a unit of the system is often printed by root. */
async function ownerOf(dir: string): Promise<string> {
  const { uid } = await stat(dir)
  return uid === process.getuid?.() ? userInfo().username : String(uid)
}

type Unit = {
  readonly name: string
  readonly path: string
  readonly isUser: boolean
  readonly start: readonly string[]
  readonly dir: string
  readonly cwd: string
  /** Where an agent command is found. */
  readonly search: string | undefined
  readonly owner: string | undefined
  readonly stopSeconds: number
  readonly writes: readonly string[]
}

function unitText(unit: Unit): string {
  const { name, path, isUser, start, dir, cwd, search, owner, stopSeconds, writes } = unit
  const [systemctl, journalctl] = isUser
    ? ['systemctl --user', 'journalctl --user']
    : ['sudo systemctl', 'journalctl']
  const lines = [
    `# Save this as ${path}, then:`,
    `#   ${systemctl} daemon-reload`,
    `#   ${systemctl} enable --now ${name}`,
    ...(isUser ? ['#   loginctl enable-linger    (so that it runs without a login)'] : []),
    `# Its log: ${journalctl} -u ${name} -f`,
    '[Unit]',
    `Description=${name}: receives webhook events`,
    ...(isUser ? [] : ['After=network.target']),
    '',
    '[Service]',
    'Type=exec',
    ...(owner === undefined ? [] : [`User=${owner}`]),
    `WorkingDirectory=${literal(cwd)}`,
    ...(search === undefined ? [] : [`Environment=${word(`PATH=${search}`)}`]),
    '# Secrets of flags, one a line, such as FLOWDOUBLE_CONTROL_TOKEN=... or PGPASSWORD=...; it may be missing.',
    `EnvironmentFile=-${literal(join(dir, configFiles.service.name))}`,
    `ExecStart=${start.map((one) => word(one).replaceAll('$', '$$$$')).join(' ')}`,
    'Restart=on-failure',
    'RestartSec=5',
    '# Wrong usage stays wrong.',
    `RestartPreventExitStatus=${exitCodes.usage}`,
    '# SIGTERM is for the gateway alone, which lets its agents end; what is left after that is killed.',
    'KillMode=mixed',
    `TimeoutStopSec=${stopSeconds}`,
    'UMask=0077',
    'NoNewPrivileges=yes',
    ...(isUser
      ? []
      : [
          '# The gateway and its agents can write to these folders and to a /tmp of the service only.',
          'ProtectSystem=strict',
          `ReadWritePaths=${writes.map(word).join(' ')}`,
          'PrivateTmp=yes',
        ]),
    '',
    '[Install]',
    `WantedBy=${isUser ? 'default.target' : 'multi-user.target'}`,
  ]
  return `${lines.join('\n')}\n`
}

/** The whole rest of a line. */
const literal = (text: string): string => text.replaceAll('%', '%%')

/** One word of a line of several. */
const word = (text: string): string =>
  literal(/^[\w./:@=,+%$~-]+$/.test(text) ? text : JSON.stringify(text))
