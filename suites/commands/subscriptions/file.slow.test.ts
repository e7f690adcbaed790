// The subscriptions file on disk: its mode, its replacement, its lock, and corrupt files.

import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { startGateway } from 'flowdouble'
import { startOfProcess, withLock } from '../../../dist/emulator/internal.js'
import {
  provesCli,
  withCli,
  type CommandLine,
  commandLineAt,
  enabled,
  subscriptionsName,
  expectEnd,
} from '../../support/command-line.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

provesCli('subscriptions/private', async (cli) => {
  await cli.run('webhook', 'subscribe', 'a')
  expect(cli.mode(subscriptionsName)).toBe(0o600)
  chmodSync(cli.path(subscriptionsName), 0o666)
  cli.write('.env', '# mine\n')
  chmodSync(cli.path('.env'), 0o644)
  await cli.run('webhook', 'remove', 'a')
  await cli.run('gateway', 'setup', '--yes', '--secret', 'global')
  expect([cli.mode(subscriptionsName), cli.mode('.env')]).toEqual([0o600, 0o600])
})

provesCli('subscriptions/atomic', async (cli) => {
  await cli.run('webhook', 'subscribe', 'a')
  const before = statSync(cli.path(subscriptionsName)).ino
  cli.write(`.${subscriptionsName}.0123456789ab.tmp`, '{"half": ')
  await cli.run('webhook', 'subscribe', 'b')
  // A new file has replaced the old one, and no temporary file is left, not even that of a dead process.
  expect(statSync(cli.path(subscriptionsName)).ino).not.toBe(before)
  expect(readdirSync(cli.dir).sort()).toEqual(['config.yaml', subscriptionsName])
  // A link stays a link: its target is replaced.
  const real = join(cli.dir, 'real')
  mkdirSync(real)
  commandLineAt(real).write('routes.json', '{}')
  const linked = commandLineAt(join(cli.dir, 'linked'))
  mkdirSync(linked.dir)
  linked.write('config.yaml', enabled())
  symlinkSync(join(real, 'routes.json'), linked.path(subscriptionsName))
  expect((await linked.run('webhook', 'subscribe', 'c')).code).toBe(0)
  expect(readlinkSync(linked.path(subscriptionsName))).toBe(join(real, 'routes.json'))
  expect(Object.keys(JSON.parse(commandLineAt(real).read('routes.json')))).toEqual(['c'])
  expect(readdirSync(real)).toEqual(['routes.json'])
})

/** A process that holds the lock of a path until it is killed. Resolves once it holds the lock. */
async function startHolder(path: string) {
  const module = new URL('../../../dist/emulator/internal.js', import.meta.url).href
  const code = `import(${JSON.stringify(module)}).then(({ withLock }) =>
    withLock(${JSON.stringify(path)}, () => { process.stdin.resume(); console.log('held'); return new Promise(() => {}) }))`
  const child = spawn(process.execPath, ['-e', code], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()))
  return {
    pid: child.pid,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** A dead process that its parent has not reaped: its id is still taken. */
async function startZombie() {
  // The shell becomes a program that never reaps its children.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const pid = await new Promise<number>((resolve) =>
    parent.stdout.once('data', (text) => resolve(Number(text))),
  )
  const started = await startOfProcess(pid)
  process.kill(pid, 'SIGKILL')
  return { pid, started, end: () => parent.kill('SIGKILL') }
}

/** The name of a claim of a process on the lock of the subscriptions file, derived from an existing one. */
async function claimOf(cli: CommandLine, pid: number, started: string): Promise<string> {
  const holder = await startHolder(cli.path(subscriptionsName))
  const claim = readdirSync(cli.dir).find((name) => name.includes('.lock-')) ?? ''
  await holder.kill()
  rmSync(cli.path(claim))
  return claim.replace(/lock-\d+-[^-]+-/, `lock-${pid}-${started}-`)
}

provesCli('subscriptions/locked', async (cli) => {
  const path = cli.path(subscriptionsName)
  // A command waits for the holder of the lock.
  let release = (): void => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  let isOver = false
  let take = (): void => {}
  const taken = new Promise<void>((resolve) => (take = resolve))
  const holding = withLock(path, async () => {
    take()
    await held
    cli.write(subscriptionsName, '{"first": {"secret": "s"}}')
    isOver = true
  })
  await taken
  const command = cli.run('webhook', 'subscribe', 'second').then((ended) => {
    expect(isOver).toBe(true)
    return ended
  })
  await cli.run('webhook', 'list')
  release()
  await holding
  expect((await command).code).toBe(0)
  expect(Object.keys(cli.routes())).toEqual(['first', 'second'])

  // A killed holder no longer holds anything.
  const holder = await startHolder(path)
  expect(readdirSync(cli.dir).join()).toContain(`lock-${holder.pid}-`)
  await holder.kill()
  expect((await cli.run('webhook', 'subscribe', 'third')).code).toBe(0)
  expect(readdirSync(cli.dir).sort()).toEqual(['config.yaml', subscriptionsName])
  const names = Array.from({ length: 10 }, (_, at) => `n${at}`)
  await Promise.all(names.map((name) => cli.run('webhook', 'subscribe', name)))
  expect(Object.keys(cli.routes()).sort()).toEqual(['first', ...names, 'second', 'third'].sort())
  // Where the system reports the start time of a process.
  if (!existsSync('/proc/self/stat')) return
  const zombie = await startZombie()
  try {
    process.kill(zombie.pid, 0)
    cli.write(await claimOf(cli, zombie.pid, zombie.started ?? ''), '')
    expect((await cli.run('webhook', 'subscribe', 'after-zombie')).code).toBe(0)
  } finally {
    zombie.end()
  }
  // The id of a dead process now belongs to another one.
  cli.write(await claimOf(cli, process.pid, '1'), '')
  expect((await cli.run('webhook', 'subscribe', 'after-reuse')).code).toBe(0)
  expect(readdirSync(cli.dir).sort()).toEqual(['config.yaml', subscriptionsName])
})

provesCli('subscriptions/corrupt-file', async (cli) => {
  const broken = ['', '{"a": ', '[]', '"text"', Buffer.from([0x7b, 0xc3, 0x28, 0x7d])]
  const commands = ['subscribe', 'remove', 'add', 'rm', 'subscribe']
  for (const [at, content] of broken.entries()) {
    cli.write(subscriptionsName, content, 0o644)
    // Also a command that only reads leaves the file alone; a running gateway serves its routes.
    for (const argv of [['list'], ['test', 'a'], [commands[at]!, 'a']]) {
      const ended = await cli.run('webhook', ...argv)
      expectEnd(ended, { code: 1, stdout: '', stderr: /corrupt.*Repair it/ })
      expect(cli.read(subscriptionsName)).toBe(content.toString())
    }
    expect(readdirSync(cli.dir).sort()).toEqual(['config.yaml', subscriptionsName])
  }
  rmSync(cli.path(subscriptionsName))
  expect((await cli.run('webhook', 'subscribe', 'a')).code).toBe(0)
  // A byte order mark is not damage, and neither is a missing file.
  cli.write(subscriptionsName, '\uFEFF{"b": {"secret": "s"}}')
  expect((await cli.run('webhook', 'list')).stdout).toContain('/webhooks/b')
  rmSync(cli.path(subscriptionsName))
  // What is not a file, or is a broken link, is left as it is, and reported.
  const path = cli.path(subscriptionsName)
  symlinkSync(join(cli.dir, 'nowhere'), path)
  for (const command of ['list', 'subscribe']) {
    const names = command === 'list' ? [] : ['a']
    expectEnd(await cli.run('webhook', command, ...names), { code: 1, stderr: /nowhere/ })
  }
  expect(lstatSync(path).isSymbolicLink()).toBe(true)
  const other = commandLineAt(join(cli.dir, 'other'))
  mkdirSync(other.path(subscriptionsName), { recursive: true })
  other.write('config.yaml', enabled())
  expect((await other.run('webhook', 'subscribe', 'a')).code).toBe(1)
  expect(statSync(other.path(subscriptionsName)).isDirectory()).toBe(true)
  // Nor can a directory be created below a file.
  const below = commandLineAt(join(cli.dir, 'config.yaml', 'below'))
  const env = { WEBHOOK_ENABLED: 'on' }
  expectEnd(await below.runIn({ env }, 'webhook', 'subscribe', 'a'), {
    code: 1,
    stderr: /config\.yaml/,
  })
})

proves('subscriptions/stray-route-member', async ({ gateway, send }) => {
  const stray = { secret: 's', promt: 'x' }
  const said = /did you mean prompt\?/i
  await expect(startGateway({ port: 0, routes: { a: stray } })).rejects.toThrow(said)
  await expect(startGateway({ port: 0, subscriptions: { a: stray } })).rejects.toThrow(said)
  expect(() => gateway.subscribe('a', stray)).toThrow(said)
  const body = JSON.stringify({ name: 'a', route: stray })
  const reply = await send('POST', '/_flowdouble/subscriptions', body)
  expect(reply).toMatchObject({ status: 400, body: expect.stringMatching(/Did you mean prompt/) })
  const run = withCli(async (cli) => {
    const ended = await cli.run('gateway', 'run', '--port', '0')
    expectEnd(ended, { code: 1, stderr: /did you mean deliver_only/i })
  }, enabled('routes: {a: {secret: s, deliver-only: true}}'))
  await run()
})

provesCli('subscriptions/stray-member', async (cli) => {
  const text = '{"stray one": 1, "b": {"secret": "s"}}'
  cli.write(subscriptionsName, text)
  for (const argv of [
    ['subscribe', 'a'],
    ['subscribe', 'b'],
    ['remove', 'b'],
    ['add', 'stray-one'],
  ]) {
    expectEnd(await cli.run('webhook', ...argv), { code: 1, stderr: /"stray one"/ })
    expect(cli.read(subscriptionsName)).toBe(text)
  }
  expectEnd(await cli.run('webhook', 'list'), {
    code: 0,
    stdout: /\/webhooks\/b/,
    stderr: /"stray one"/,
  })
})
