// The command `gateway service`: the unit that it prints, and what it does not put there.

import { mkdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect } from '../../judge/expect.ts'
import { type CommandLine, expectEnd, provesCli } from '../../support/command-line.ts'

/** The lines of the unit for these flags, without its comments. */
async function unitOf(cli: CommandLine, ...argv: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await cli.run('gateway', 'service', ...argv)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

/** The value of a setting. */
const valueOf = (unit: readonly string[], name: string): string | undefined =>
  unit.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1)

provesCli('operations/service', async (cli) => {
  const unit = await unitOf(cli, '--port', '9000', '--keep-days=7', '--like', 'hermes-2026.07')
  const start = valueOf(unit, 'ExecStart')?.split(' ') ?? []
  expect(start[0]).toBe(process.execPath)
  expect(start[1]).toMatch(/dist\/bundle\/main\.cjs$/)
  expect(start.slice(2)).toEqual([
    'gateway',
    'run',
    `--config-dir=${cli.dir}`,
    '--port=9000',
    '--keep-days=7',
    '--like=hermes-2026.07',
  ])
  expect(valueOf(unit, 'User')).toBe(userInfo().username)
  // systemd reads quotes, variables and specifiers, which are not meant here.
  const agent = ['--agent-command', process.execPath, '--agent-command=-e "$A" %h\n']
  expect(valueOf(await unitOf(cli, ...agent), 'ExecStart')).toContain(
    String.raw` "--agent-command=-e \"$$A\" %%h\n"`,
  )
  const { path, unit: text } = (await cli.run('gateway', 'service', '--json')).json()
  expect(path).toBe('/etc/systemd/system/flowdouble-gateway.service')
  expect(text).toContain(path)
  // What would not start is refused as by `gateway run`.
  for (const [argv, stderr] of [
    [['--agent-command', 'no-such-program'], /cannot find an executable/],
    [['--port', 'x'], /--port must be a port/],
    [['wrk'], /Did you mean work\?/],
  ] as const)
    expectEnd(await cli.run('gateway', 'service', ...argv), { code: 2, stderr })
  cli.write('config.yaml', '')
  const env = { WEBHOOK_ENABLED: '1' }
  const off = await cli.runIn({ env }, 'gateway', 'service')
  expectEnd(off, { code: 1, stderr: /^Webhooks are not enabled/ })
})

provesCli('operations/service-work', async (cli) => {
  const store = ['--store', 'postgres://user@db.example/x']
  const unit = await unitOf(cli, 'work', ...store, '--agents-at-once', '2')
  expect(valueOf(unit, 'ExecStart')).toMatch(
    / gateway work --config-dir=\S+ --agents-at-once=2 --store=postgres:\/\/user@db\.example\/x$/,
  )
  for (const argv of [['work'], ['work', ...store, '--control']])
    expect((await cli.run('gateway', 'service', ...argv)).code).toBe(2)
})

provesCli('operations/service-stop', async (cli) => {
  const unit = await unitOf(cli)
  expect(unit).toEqual(
    expect.arrayContaining(['Restart=on-failure', 'KillMode=mixed', 'TimeoutStopSec=40']),
  )
  expect(await unitOf(cli, '--drain', '0')).toContain('TimeoutStopSec=10')
})

provesCli('operations/service-secrets', async (cli) => {
  const file = cli.path('service.env')
  const env = { FLOWDOUBLE_CONTROL_TOKEN: 'of-the-control' }
  const { stdout } = await cli.runIn({ env }, 'gateway', 'service')
  expect(stdout).toContain(`\nEnvironmentFile=-${file}\n`)
  expect(stdout).not.toContain('of-the-control')
  for (const [variable, ...argv] of [
    ['FLOWDOUBLE_CONTROL_TOKEN', '--control-token', 'of-the-control'],
    ['PGPASSWORD', '--store', 'postgres://user:of-the-control@db.example/x'],
    ['PGPASSWORD', '--store', 'postgres://db.example/x?password=of-the-control'],
  ])
    expectEnd(await cli.run('gateway', 'service', ...argv), {
      code: 1,
      stdout: '',
      stderr: new RegExp(`write ${variable}=\\.\\.\\. to ${file} `),
      hides: 'of-the-control',
    })
})

provesCli('operations/service-writes', async (cli) => {
  const other = join(cli.dir, 'other place')
  mkdirSync(other)
  const unit = await unitOf(cli, '--store', join(other, 'runs.sqlite'))
  expect(valueOf(unit, 'ReadWritePaths')).toBe(`${cli.dir} "${other}"`)
  expect(unit).toContain('ProtectSystem=strict')
  const own = await unitOf(cli, '--user')
  expect(own.join('\n')).not.toMatch(/^(User|ProtectSystem|ReadWritePaths)=/m)
  expect(own).toContain('WantedBy=default.target')
})
