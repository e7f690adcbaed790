// The subscriptions file on the disk: its mode, its replacement, its lock, and what becomes of a corrupt one.

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
  atDesk,
  type Desk,
  deskAt,
  enabled,
  subscriptionsName,
} from '../../support/command-line.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

proves(
  'subscriptions/private',
  atDesk(async (desk) => {
    await desk.run('webhook', 'subscribe', 'a')
    expect(desk.mode(subscriptionsName)).toBe(0o600)
    chmodSync(desk.path(subscriptionsName), 0o666)
    desk.write('.env', '# mine\n')
    chmodSync(desk.path('.env'), 0o644)
    await desk.run('webhook', 'remove', 'a')
    await desk.run('gateway', 'setup', '--yes', '--secret', 'global')
    expect([desk.mode(subscriptionsName), desk.mode('.env')]).toEqual([0o600, 0o600])
  }),
)

proves(
  'subscriptions/atomic',
  atDesk(async (desk) => {
    await desk.run('webhook', 'subscribe', 'a')
    const before = statSync(desk.path(subscriptionsName)).ino
    desk.write(`.${subscriptionsName}.0123456789ab.tmp`, '{"half": ')
    await desk.run('webhook', 'subscribe', 'b')
    // Another file has taken the place of the old one, and nothing of the writing is left, not even that of a dead one.
    expect(statSync(desk.path(subscriptionsName)).ino).not.toBe(before)
    expect(readdirSync(desk.dir).sort()).toEqual(['config.yaml', subscriptionsName])
    // A link stays a link: the file that it leads to is replaced.
    const real = join(desk.dir, 'real')
    mkdirSync(real)
    deskAt(real).write('routes.json', '{}')
    const linked = deskAt(join(desk.dir, 'linked'))
    mkdirSync(linked.dir)
    linked.write('config.yaml', enabled())
    symlinkSync(join(real, 'routes.json'), linked.path(subscriptionsName))
    expect((await linked.run('webhook', 'subscribe', 'c')).code).toBe(0)
    expect(readlinkSync(linked.path(subscriptionsName))).toBe(join(real, 'routes.json'))
    expect(Object.keys(JSON.parse(deskAt(real).read('routes.json')))).toEqual(['c'])
    expect(readdirSync(real)).toEqual(['routes.json'])
  }),
)

/** A process that holds the lock of a path until it is killed. Resolves when it has it. */
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

proves(
  'subscriptions/locked',
  atDesk(async (desk) => {
    const path = desk.path(subscriptionsName)
    // A command waits for the one that has the lock.
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    let isOver = false
    const holding = withLock(path, async () => {
      await held
      desk.write(subscriptionsName, '{"first": {"secret": "s"}}')
      isOver = true
    })
    const command = desk.run('webhook', 'subscribe', 'second').then((ended) => {
      expect(isOver).toBe(true)
      return ended
    })
    await desk.run('webhook', 'list')
    release()
    await holding
    expect((await command).code).toBe(0)
    expect(Object.keys(desk.routes())).toEqual(['first', 'second'])

    // A holder that is killed holds nothing any more.
    const holder = await startHolder(path)
    expect(
      readdirSync(desk.dir).filter((name) => name.includes(`lock-${holder.pid}-`)),
    ).toHaveLength(1)
    await holder.kill()
    expect((await desk.run('webhook', 'subscribe', 'third')).code).toBe(0)
    expect(readdirSync(desk.dir).sort()).toEqual(['config.yaml', subscriptionsName])
    const names = Array.from({ length: 10 }, (_, at) => `n${at}`)
    await Promise.all(names.map((name) => desk.run('webhook', 'subscribe', name)))
    expect(Object.keys(desk.routes()).sort()).toEqual(['first', ...names, 'second', 'third'].sort())
  }),
)

/** A process that is dead, and whose parent has not asked for it: its id still stands for it. */
async function startZombie() {
  // The shell becomes a program that never asks for its children.
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

/** The name of a claim of a process on the lock of the subscriptions file, once another one has shown its form. */
async function claimOf(desk: Desk, pid: number, started: string): Promise<string> {
  const holder = await startHolder(desk.path(subscriptionsName))
  const claim = readdirSync(desk.dir).find((name) => name.includes('.lock-')) ?? ''
  await holder.kill()
  rmSync(desk.path(claim))
  return claim.replace(/lock-\d+-[^-]+-/, `lock-${pid}-${started}-`)
}

// Where the system tells the start of a process.
if (existsSync('/proc/self/stat'))
  proves(
    'subscriptions/locked',
    atDesk(async (desk) => {
      const zombie = await startZombie()
      try {
        process.kill(zombie.pid, 0)
        desk.write(await claimOf(desk, zombie.pid, zombie.started ?? ''), '')
        expect((await desk.run('webhook', 'subscribe', 'after-zombie')).code).toBe(0)
      } finally {
        zombie.end()
      }
      // The id of a process that is gone belongs to another one now.
      desk.write(await claimOf(desk, process.pid, '1'), '')
      expect((await desk.run('webhook', 'subscribe', 'after-reuse')).code).toBe(0)
      expect(readdirSync(desk.dir).sort()).toEqual(['config.yaml', subscriptionsName])
    }),
  )

proves(
  'subscriptions/corrupt-file',
  atDesk(async (desk) => {
    const broken = ['', '{"a": ', '[]', '"text"', Buffer.from([0x7b, 0xc3, 0x28, 0x7d])]
    const commands = [
      ['subscribe', 'a'],
      ['remove', 'a'],
      ['add', 'a'],
      ['rm', 'a'],
      ['subscribe', 'a'],
    ]
    for (const [at, content] of broken.entries()) {
      desk.write(subscriptionsName, content, 0o644)
      // A command that only reads leaves the file, whose routes a running gateway serves.
      for (const reading of [['list'], ['test', 'a']]) {
        const { code, stdout, stderr } = await desk.run('webhook', ...reading)
        expect([code, stdout]).toEqual([1, ''])
        expect(stderr).toMatch(/corrupt.*Repair it/)
        expect(desk.read(subscriptionsName)).toBe(content.toString())
      }
      const [command = '', ...argv] = commands[at] ?? []
      const { code, stdout, stderr } = await desk.run('webhook', command, ...argv)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/corrupt.*Repair it/)
      expect(desk.read(subscriptionsName)).toBe(content.toString())
      expect(readdirSync(desk.dir).sort()).toEqual(['config.yaml', subscriptionsName])
    }
    rmSync(desk.path(subscriptionsName))
    expect((await desk.run('webhook', 'subscribe', 'a')).code).toBe(0)
    // A byte order mark is no damage, and neither is a file that is not there.
    desk.write(subscriptionsName, '\uFEFF{"b": {"secret": "s"}}')
    expect((await desk.run('webhook', 'list')).stdout).toContain('/webhooks/b')
  }),
)

proves(
  'subscriptions/corrupt-file',
  atDesk(async (desk) => {
    // What is no file, or leads nowhere, is left as it is, and said.
    const path = desk.path(subscriptionsName)
    symlinkSync(join(desk.dir, 'nowhere'), path)
    for (const command of ['list', 'subscribe']) {
      const names = command === 'list' ? [] : ['a']
      const { code, stderr } = await desk.run('webhook', command, ...names)
      expect([code, stderr]).toEqual([1, expect.stringContaining('nowhere')])
    }
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    const other = deskAt(join(desk.dir, 'other'))
    mkdirSync(other.path(subscriptionsName), { recursive: true })
    other.write('config.yaml', enabled())
    expect((await other.run('webhook', 'subscribe', 'a')).code).toBe(1)
    expect(statSync(other.path(subscriptionsName)).isDirectory()).toBe(true)
    // Neither can a directory be made below a file.
    const below = deskAt(join(desk.dir, 'config.yaml', 'below'))
    const env = { WEBHOOK_ENABLED: 'on' }
    const { code, stderr } = await below.runIn({ env }, 'webhook', 'subscribe', 'a')
    expect([code, stderr]).toEqual([1, expect.stringContaining('config.yaml')])
  }),
)

proves('subscriptions/stray-route-member', async ({ gateway, send }) => {
  const stray = { secret: 's', promt: 'x' }
  const said = /did you mean prompt\?/i
  await expect(startGateway({ port: 0, routes: { a: stray } })).rejects.toThrow(said)
  await expect(startGateway({ port: 0, subscriptions: { a: stray } })).rejects.toThrow(said)
  expect(() => gateway.subscribe('a', stray)).toThrow(said)
  const reply = await send(
    'POST',
    '/_flowdouble/subscriptions',
    JSON.stringify({ name: 'a', route: stray }),
  )
  expect([reply.status, reply.body]).toEqual([409, expect.stringMatching(/Did you mean prompt/)])
})

proves(
  'subscriptions/stray-route-member',
  atDesk(async (desk) => {
    const { code, stderr } = await desk.run('gateway', 'run', '--port', '0')
    expect([code, stderr]).toEqual([1, expect.stringMatching(/did you mean deliver_only/i)])
  }, enabled('routes: {a: {secret: s, deliver-only: true}}')),
)

proves(
  'subscriptions/stray-member',
  atDesk(async (desk) => {
    const text = '{"stray one": 1, "b": {"secret": "s"}}'
    desk.write(subscriptionsName, text)
    for (const argv of [
      ['subscribe', 'a'],
      ['subscribe', 'b'],
      ['remove', 'b'],
      ['add', 'stray-one'],
    ]) {
      const { code, stderr } = await desk.run('webhook', ...argv)
      expect([argv, code, stderr]).toEqual([argv, 1, expect.stringContaining('"stray one"')])
      expect(desk.read(subscriptionsName)).toBe(text)
    }
    const { code, stdout, stderr } = await desk.run('webhook', 'list')
    expect([code, stdout]).toEqual([0, expect.stringContaining('/webhooks/b')])
    expect(stderr).toContain('"stray one"')
  }),
)
