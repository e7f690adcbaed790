// The terminals of a reader: a folder in which the packed package is installed, and what the README says to type there.
// Servers listen on free ports, and addresses in commands lead to them.

import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Emulator, type Gateway, startEmulator, startGateway } from 'flowdouble'
import { pack, root, unpack } from '../../support/packed.ts'
import { folder } from '../../support/folder.ts'
import { freePort } from '../../support/free-port.ts'
import { type Command, startProcess } from '../../support/spawned.ts'

export type Output = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** The server that the line has started. */
  readonly server?: Command
}

export type Terminal = {
  readonly folder: string
  /** Types a line: resolves to its output when it has ended, or, without a code, when its server listens. */
  readonly type: (line: string) => Promise<Output>
  /** A text with the addresses that the page prints. */
  readonly asPrinted: (text: string) => string
  /** Presses Ctrl+C in all terminals. */
  readonly stop: () => Promise<void>
}

/** A server at an address that a page prints: where it really is. */
type Server = {
  readonly port: number
  readonly end: () => Promise<void>
  /** The file that it writes when it ends. */
  readonly out?: string | undefined
}

/** Programs that a page names and this machine does not have, or that would need a network. */
const programs = (main: string): Readonly<Record<string, string>> => ({
  flowdouble: `exec "${process.execPath}" "${main}" "$@"`,
  npx: 'exec "$@"',
  'my-agent': 'exec cat',
  pip: `mkdir -p ${frontEnd} && echo '<p>A page</p>' > ${frontEnd}/index.html`,
})
const frontEnd = 'ui/comfyui_frontend_package/static'

/** All test files use the same, so it stays until the run ends. */
const installedIn = folder()
let modules: Promise<string> | undefined

/** What is installed in the folder of a reader: the packed package, what tests need, and those programs. */
async function installModules(): Promise<string> {
  const place = join(await unpack(await pack(), installedIn), 'node_modules')
  for (const name of ['vitest', 'msw', '@types', 'undici-types'])
    symlinkSync(join(root, 'node_modules', name), join(place, name))
  mkdirSync(join(place, '.bin'))
  for (const [name, script] of Object.entries(
    programs(join(place, 'flowdouble/dist/bundle/main.cjs')),
  )) {
    writeFileSync(join(place, '.bin', name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(place, '.bin', name), 0o755)
  }
  return place
}

/** A folder as a reader has it: with packages, a client, its test, and a workflow. */
export async function readersFolder(): Promise<string> {
  const place = folder()
  symlinkSync(await (modules ??= installModules()), join(place, 'node_modules'))
  const recordings = join(place, 'node_modules/flowdouble/recordings')
  cpSync(join(recordings, 'examples/client.ts'), join(place, 'client.ts'))
  cpSync(join(recordings, 'workflows/text-to-image.json'), join(place, 'workflow.json'))
  const scripts = { test: 'flowdouble run text-to-image --url "$FLOWDOUBLE_URL"' }
  writeFileSync(join(place, 'package.json'), JSON.stringify({ type: 'module', scripts }))
  return place
}

/** The ports of servers without `--port`. */
const usualPorts: readonly (readonly [command: RegExp, port: number])[] = [
  [/^npx flowdouble gateway run\b/, 8644],
  [/^npx flowdouble serve .*--deployment hosted\b/, 8189],
  [/^npx flowdouble record\b/, 8189],
  [/^npx flowdouble (serve|replay)\b(?!.*--help)/, 8188],
]

/** The port at which a line starts a server, as the page prints it, or undefined. */
const portOf = (line: string): number | undefined => {
  const usual = usualPorts.find(([command]) => command.test(line))?.[1]
  const given = /--port (\d+)/.exec(line)?.[1]
  return usual === undefined || given === undefined ? usual : Number(given)
}

/** What judges with little work, where the page asks for all of it. */
const shorter: readonly (readonly [command: RegExp, flags: string])[] = [
  [/^npx flowdouble check http(?!.* --(only|list))/, '--only system'],
  [/^npx flowdouble check --client "(?!.* --(duty|list))/, '--deployment local --duty poll-pace'],
  [/^npx flowdouble check --client ".* --duty/, '--deployment local'],
  [/^npx flowdouble check --gateway/, '--only webhooks/health'],
  [/^npx flowdouble diff /, '--sessions 1'],
]

/** The flags come after the command, before a redirection. */
const withFlags = (line: string): string => {
  const flags = shorter.find(([command]) => command.test(line))?.[1]
  return flags === undefined ? line : line.replace(/(?= >|$)/, ` ${flags}`)
}

/** Servers elsewhere, by the ports at which the pages suppose them. */
const others: Readonly<Record<number, () => Promise<Emulator | Gateway>>> = {
  8188: () => startEmulator({ pace: 1 }),
  8189: () => startEmulator({ deployment: 'hosted' }),
  8288: () => startEmulator({ pace: 1 }),
  8644: () => startGateway({ port: 0, routes: { ci: { secret: 'of-the-sender' } } }),
}

/** Opens the terminals of a reader in an empty folder, in which the package is installed. */
export async function openTerminal(): Promise<Terminal> {
  const place = await readersFolder()
  const env = {
    PATH: `${join(place, 'node_modules/.bin')}:${process.env['PATH']}`,
    HOME: place,
    NO_COLOR: '1',
    WEBHOOK_PORT: String(await freePort()),
    // Who sends has a credential.
    GITHUB_TOKEN: 'of-the-reader',
  }
  const servers = new Map<number, Server>()
  const actual = (text: string): string =>
    text.replaceAll(
      /(?<=127\.0\.0\.1:)\d+/g,
      (port) => `${servers.get(Number(port))?.port ?? port}`,
    )
  const asPrinted = (text: string): string =>
    [...servers].reduce((all, [port, one]) => all.replaceAll(`:${one.port}`, `:${port}`), text)
  const spawn = (line: string): Command =>
    startProcess('env', ['-i', ...pairs(env), 'sh', '-c', line], place)

  const stop = async (ports: Iterable<number> = [...servers.keys()]): Promise<void> => {
    for (const port of ports) {
      const server = servers.get(port)
      servers.delete(port)
      await server?.end()
    }
  }

  async function serve(line: string, printed: number): Promise<Output> {
    await stop([printed])
    const isGateway = line.includes('gateway run')
    const port = isGateway ? '' : '--port 0'
    const beside = line.includes('--with-gateway') ? '--gateway-port 0' : ''
    const command = spawn(
      `exec ${actual(line.replace(/ --port \d+/, '')).replace(/^npx /, '')} ${port} ${beside}`,
    )
    const said = await command.says(/Stop with Ctrl\+C\.\n/)
    const known = new Set([...servers.values()].map((one) => `${one.port}`))
    const found = [...said.matchAll(/(?:127\.0\.0\.1|localhost):(\d+)/g)].map(([, at = '']) => at)
    const ports = [...new Set(found)].filter((one) => !known.has(one))
    let ended: Promise<void> | undefined
    const end = (): Promise<void> =>
      (ended ??= (async () => {
        command.process.kill('SIGINT')
        const { code, stdout, stderr } = await command.ends
        if (code !== 0) throw new Error(`${line} ended with ${code}:\n${stdout}\n${stderr}`)
      })())
    const out = /--out (\S+)/.exec(line)?.[1]
    ports.forEach((one, at) => servers.set(printed + at, { port: Number(one), end, out }))
    return { code: null, stdout: said, stderr: '', server: command }
  }

  /** Starts the servers that a line needs, and that nobody has started: fresh ones. */
  async function serveFor(line: string): Promise<void> {
    const needed = [...line.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port))
    for (const port of new Set(needed)) {
      if (servers.has(port)) continue
      const fresh = await others[port]?.()
      if (fresh !== undefined) servers.set(port, { port: fresh.port, end: fresh.close })
    }
  }

  async function type(line: string): Promise<Output> {
    // Who replays a recording has pressed Ctrl+C before.
    const written = [...servers].filter(([, { out }]) => out !== undefined && line.includes(out))
    await stop(written.map(([port]) => port))
    const isUsual = /^npx flowdouble run (?!.*--url)/.test(line)
    const whole = isUsual ? `${line} --url http://127.0.0.1:8188` : line
    await serveFor(whole)
    const printed = portOf(line)
    if (printed !== undefined) return serve(line, printed)
    return spawn(actual(withFlags(whole))).ends
  }
  return { folder: place, type, asPrinted, stop }
}

const pairs = (env: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(env).map(([name, value]) => `${name}=${value}`)
