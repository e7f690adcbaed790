// Nothing that happens to the subscriptions file loses a subscription: kills, crowds, any order of commands, broken
// content.

import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { startGateway } from 'flowdouble'
import { expect, test } from 'vitest'
import {
  withCli,
  type CommandLine,
  commandLineAt,
  enabled,
  postTo,
  subscriptionsName,
} from '../../support/command-line.ts'
import { isLong, runs, sampleOf } from '../../support/effort.ts'
import { main } from '../../support/spawned.ts'
import { folder } from '../../support/folder.ts'

const dist = join(import.meta.dirname, '..', '..', '..', 'dist', 'emulator')

type Child = { readonly signal: NodeJS.Signals | null; readonly lines: readonly string[] }

/** Runs a module of text; `look` receives each line that it prints, and can kill it. */
function runChild(
  code: string,
  env: Readonly<Record<string, string>>,
  look: (line: string, kill: () => void) => void = () => {},
): Promise<Child> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  let rest = ''
  child.stdout.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) {
      lines.push(line)
      look(line, () => child.kill('SIGKILL'))
    }
  })
  return new Promise((resolve) => child.once('close', (_, signal) => resolve({ signal, lines })))
}

const fileModule = JSON.stringify(
  `file://${join(dist, 'edge', 'gateway', 'subscriptions-file.js')}`,
)
const require = createRequire(import.meta.url)

/** Writes once, and kills itself before the file operation with this number. */
const dyingWriter = `
  import { createRequire, syncBuiltinESMExports } from 'node:module'
  const files = createRequire(${JSON.stringify(require.resolve('fast-check'))})('node:fs/promises')
  let count = 0
  const isWrapped = Symbol()
  const wrap = (owner, name) => {
    const original = owner[name]
    if (typeof original !== 'function' || original[isWrapped]) return
    owner[name] = Object.assign(async function (...args) {
      if (++count === Number(process.env.DIE_AT)) process.kill(process.pid, 'SIGKILL')
      const result = await original.apply(this, args)
      if (name === 'open') for (const method of ['chmod', 'writeFile', 'sync', 'close', 'stat', 'readFile']) wrap(Object.getPrototypeOf(result), method)
      return result
    }, { [isWrapped]: true })
  }
  for (const name of ['open', 'rename', 'rm', 'writeFile', 'readdir', 'realpath', 'stat', 'lstat', 'chmod']) wrap(files, name)
  syncBuiltinESMExports()
  const { changeSubscriptions } = await import(${fileModule})
  await changeSubscriptions(process.env.DIR, (entries) => entries.set('new', new Map([['secret', 's']])))
  console.log('count ' + count)
`

const oldText = '{"old": {"secret": "s0", "note": [1.0]}}'

/** What is left after a writer died: the old routes or the new ones, and a lock that blocks nobody. */
async function requireWhole(cli: CommandLine): Promise<readonly string[]> {
  const names = Object.keys(cli.routes())
  expect(cli.routes().old).toEqual({ secret: 's0', note: [1] })
  expect((await cli.run('webhook', 'subscribe', 'after')).code).toBe(0)
  expect(Object.keys(cli.routes())).toEqual([...names, 'after'])
  expect(readdirSync(cli.dir).sort()).toEqual(['config.yaml', subscriptionsName])
  return names
}

test(
  'a writer that is killed before any of its operations leaves the old file or the new one',
  withCli(async (cli) => {
    const seen = new Set<string>()
    const stride = isLong ? 1 : 6
    for (let dieAt = 1; ; dieAt += stride) {
      cli.write(subscriptionsName, oldText)
      const { signal, lines } = await runChild(dyingWriter, {
        DIR: cli.dir,
        DIE_AT: String(dieAt),
      })
      seen.add((await requireWhole(cli)).join())
      if (signal === null) {
        const count = Number(/^count (\d+)$/.exec(lines.join('\n'))?.[1])
        expect([count < dieAt, count >= dieAt - stride, count > 14]).toEqual([true, true, true])
        break
      }
    }
    expect([...seen].sort()).toEqual(['old', 'old,new'])
  }),
)

const tirelessWriter = `
  const { changeSubscriptions } = await import(${fileModule})
  for (let n = 1; ; n++) {
    console.log('begin ' + n)
    await changeSubscriptions(process.env.DIR, (entries) => entries.set('count', new Map([['n', n]])))
    console.log('done ' + n)
  }
`

test(
  'a writer that is killed while it writes has lost at most the write that it had not finished',
  withCli(async (cli) => {
    for (const killAt of sampleOf(['begin 2', 'done 3', 'begin 7', 'done 12', 'begin 20'], 2)) {
      cli.write(subscriptionsName, oldText)
      const { lines } = await runChild(tirelessWriter, { DIR: cli.dir }, (line, kill) => {
        if (line === killAt) kill()
      })
      const done = lines.filter((line) => line.startsWith('done')).length
      expect([done, done + 1]).toContain(cli.routes().count?.n ?? 0)
      await requireWhole(cli)
    }
  }),
)

/** Runs a command in a separate process; resolves to its exit code. */
const spawned = (...argv: readonly string[]): Promise<number | null> =>
  new Promise((resolve) => {
    const env = { ...process.env, WEBHOOK_ENABLED: 'true' }
    const child = spawn(process.execPath, [main, ...argv], { stdio: 'ignore', env })
    child.once('close', resolve)
  })

test(
  'many simultaneous commands, in a directory that does not exist yet, lose nothing',
  withCli(async (cli) => {
    const dir = join(cli.dir, 'new', 'one')
    const names = Array.from({ length: isLong ? 20 : 4 }, (_, at) => `r${at}`)
    const codes = await Promise.all(
      names.map((name) => spawned('webhook', 'subscribe', name, '--config-dir', dir)),
    )
    expect(codes).toEqual(names.map(() => 0))
    expect(Object.keys(commandLineAt(dir).routes()).sort()).toEqual([...names].sort())
    // Commands that remove and that subscribe do not disturb each other.
    const some = names.slice(0, isLong ? 5 : 2)
    const mixed = await Promise.all([
      ...some.map((name) => spawned('webhook', 'rm', name, '--config-dir', dir)),
      ...some.map((name) => spawned('webhook', 'add', `${name}x`, '--config-dir', dir)),
    ])
    expect(mixed).toEqual(mixed.map(() => 0))
    const left = [...names.slice(some.length), ...some.map((name) => `${name}x`)]
    expect(Object.keys(commandLineAt(dir).routes()).sort()).toEqual(left.sort())
    expect(readdirSync(dir)).toEqual([subscriptionsName])
  }, null),
)

/** Calls with a command line with webhooks enabled, and removes its directory afterwards. */
const onCommandLine = (use: (cli: CommandLine) => Promise<void>): Promise<void> => withCli(use)()

const someName = fc.constantFrom('a', 'b', '7', 'c-d', 'e_', 'constructor')
const someCommand = fc.oneof(
  fc.record({
    kind: fc.constant('subscribe' as const),
    name: someName,
    prompt: fc.option(fc.string({ unit: 'grapheme', maxLength: 20 }), { nil: undefined }),
    secret: fc.option(fc.stringMatching(/^[\w!]{1,20}$/), { nil: undefined }),
    isNew: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('remove' as const), name: someName }),
)

test('any sequence of commands leaves what a small model predicts', async () => {
  const property = fc.asyncProperty(fc.array(someCommand, { maxLength: 15 }), (commands) =>
    onCommandLine(async (cli) => {
      const model = new Map<string, { secret: string; prompt: string }>()
      for (const command of commands) {
        const before = model.get(command.name)
        if (command.kind === 'remove') {
          const { code } = await cli.run('webhook', 'remove', command.name)
          expect(code).toBe(before === undefined ? 1 : 0)
          model.delete(command.name)
          continue
        }
        const { name, prompt, secret, isNew } = command
        const rotates = isNew && secret === undefined
        const argv = [
          ...(prompt === undefined ? [] : [`--prompt=${prompt}`]),
          ...(secret === undefined ? [] : [`--secret=${secret}`]),
          ...(rotates ? ['--new-secret'] : []),
        ]
        const ended = await cli.run('webhook', 'subscribe', '--json', ...argv, name)
        expect(ended).toMatchObject({ code: 0, stderr: '' })
        const printed = ended.json().secret
        if (secret !== undefined) expect(printed).toBe(secret)
        else if (before !== undefined && !rotates) expect(printed).toBe(before.secret)
        else expect(printed).not.toBe(before?.secret)
        model.set(name, { secret: printed, prompt: prompt ?? '' })
      }
      const listed: any[] = (await cli.run('webhook', 'list', '--json')).json()
      expect(listed.map(({ name, secret, prompt }) => [name, { secret, prompt }])).toEqual([
        ...model,
      ])
    }),
  )
  await fc.assert(property, { numRuns: runs(30) })
})

const anyContent = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
  fc.json().map((text) => Buffer.from(text)),
  fc.dictionary(fc.string(), fc.jsonValue()).map((value) => Buffer.from(JSON.stringify(value))),
  // A file that was cut off, or has a byte too many.
  fc.tuple(fc.nat(60), fc.nat(255)).map(([at, byte]) => {
    const whole = Buffer.from('{"a": {"secret": "s", "events": ["push"]}, "b": {"secret": "t"}}')
    return byte % 2 === 0 ? whole.subarray(0, at) : Buffer.concat([whole, Buffer.from([byte])])
  }),
)

/** The members of a JSON object, or undefined for any other content. */
function membersOf(content: Buffer): Record<string, unknown> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content)
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

test('a file of any content crashes no command, and is never overwritten', async () => {
  const dir = folder()
  const cli = commandLineAt(dir)
  const commands = [['list'], ['subscribe', 'zz'], ['remove', 'zz'], ['test', 'zz']]
  const property = fc.asyncProperty(anyContent, fc.nat(3), async (content, at) => {
    for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true })
    cli.write('config.yaml', enabled())
    writeFileSync(join(dir, subscriptionsName), content)
    const [command = '', ...argv] = commands[at] ?? []
    const { code, stderr } = await cli.run('webhook', command, ...argv)
    const members = membersOf(content)
    if (members === undefined) {
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('corrupt') })
      expect(readFileSync(cli.path(subscriptionsName))).toEqual(content)
    } else {
      const isStray = (one: unknown): boolean =>
        typeof one !== 'object' || one === null || Array.isArray(one)
      if (command === 'subscribe') expect(code).toBe(Object.values(members).some(isStray) ? 1 : 0)
      const { zz: _, ...others } = cli.routes()
      const { zz: _own, ...before } = members
      expect(others).toEqual(before)
      if (command === 'list') expect(code).toBe(0)
      else if (command !== 'subscribe' && !('zz' in members)) expect(code).toBe(1)
    }
  })
  await fc.assert(property, { numRuns: runs(150) })
})

test(
  'posts while the file is replaced always meet the old routes or the new ones',
  withCli(async (cli) => {
    await cli.run('webhook', 'subscribe', 'kept', '--secret', 's')
    const subscriptionsFile = cli.path(subscriptionsName)
    const gateway = await startGateway({ port: 0, subscriptionsFile, rateLimit: 1e6 })
    try {
      const changing = { isOver: false }
      const change = async (): Promise<void> => {
        for (let at = 0; at < 16; at++) {
          const { code } = await cli.run('webhook', at % 2 === 0 ? 'add' : 'rm', 'fleeting')
          expect(code).toBe(0)
        }
        changing.isOver = true
      }
      const post = async (): Promise<number[]> => {
        const statuses: number[] = []
        while (!changing.isOver) statuses.push(await postTo(gateway.url, 'kept', 's'))
        return statuses
      }
      const [statuses] = await Promise.all([post(), change()])
      expect(statuses.length).toBeGreaterThan(16)
      expect(new Set(statuses)).toEqual(new Set([202]))
    } finally {
      await gateway.close()
    }
  }),
)
