// The doctor of a gateway on its store: a file that others read, that does not open, is full or in use; and a database.

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { expect } from '../../judge/expect.ts'
import { expectEnd, provesCli, runGateway, subscriptionsName } from '../../support/command-line.ts'
import { freePort } from '../../support/free-port.ts'
import { inDatabase } from '../../support/stores/database.ts'
import { found, foundIn } from './findings.ts'

const storeName = 'gateway.sqlite'

provesCli(['doctor/store', 'doctor/variables'], async (cli) => {
  const path = cli.path(storeName)
  expect(await found(cli, 'store')).toEqual([`ok: gateway run will create ${path}`])
  await (await runGateway(cli)).stop()
  expect(await found(cli, 'store')).toEqual([`ok: ${path} uses 1 of 1024 MiB`])
  expect(await found(cli, 'store', '--no-store')).toEqual(['note: There is no store'])
  if (process.platform !== 'win32') {
    chmodSync(path, 0o644)
    expect(await found(cli, 'store')).toEqual([
      `problem: Everybody on this machine can read ${path} (mode 644)`,
    ])
    chmodSync(path, 0o600)
  }
  await inDatabase(path, 'CREATE TABLE large AS SELECT zeroblob(950000) AS bytes')
  expect(await found(cli, 'store', '--store-mib', '2')).toEqual([expect.stringMatching(/^ok/)])
  const full = [`problem: ${path} is nearly full: 1 of 1 MiB`]
  expect(await found(cli, 'store', '--store-mib', '1')).toEqual(full)
  expect(await foundIn(cli, { env: { FLOWDOUBLE_STORE_MIB: '1' } }, 'store')).toEqual(full)
  await inDatabase(path, 'UPDATE flowdouble_store SET version = 99')
  expect(await found(cli, 'store')).toEqual([
    'problem: The store has version 99, and this flowdouble knows 1',
  ])
  writeFileSync(path, 'no database, and longer than the head of one would be')
  expect(await found(cli, 'store')).toEqual([
    `problem: ${path} is not a store that can be opened (file is not a database)`,
  ])
  rmSync(path)
  mkdirSync(path)
  expect(await found(cli, 'store')).toEqual([`problem: ${path} is not a regular file`])
})

provesCli('store/unusable', async (cli) => {
  cli.write(storeName, 'no database, and longer than the head of one would be')
  for (const argv of [['run', '--port', '0'], ['runs']])
    expectEnd(await cli.run('gateway', ...argv), {
      code: 1,
      stderr: /^The store cannot be used \(.*\)\. .* flowdouble gateway doctor, .*\n$/,
    })
})

provesCli('doctor/store-holder', async (cli) => {
  const path = cli.path(storeName)
  const gateway = await runGateway(cli)
  expect(await found(cli, 'store')).toEqual([
    `ok: ${path} uses 1 of 1024 MiB, and process ${process.pid} has it open`,
  ])
  await gateway.stop()
  // The claim of a process on another machine, which counts as living.
  cli.write(`${storeName}.lock-99-1-elsewhere-1`, '99\n')
  expect(await found(cli, 'store')).toEqual([
    expect.stringMatching(/^ok: .* process 99 has it open$/),
    `note: Process 99 has ${path} open, and does not answer`,
  ])
})

provesCli('doctor/health', async (cli) => {
  expect(await found(cli, 'health')).toEqual(['skipped: The gateway does not run'])
  const port = await freePort()
  for (const argv of [[], ['--no-store', '--port', `${port}`]]) {
    const gateway = await runGateway(cli, {}, ...argv)
    expect(await found(cli, 'health', ...argv)).toEqual(['ok: The running gateway is not degraded'])
    cli.write(subscriptionsName, '{')
    await (await fetch(`${gateway.url}/health`)).text()
    expect(await found(cli, 'health', ...argv)).toEqual([
      'problem: The running gateway is degraded: The subscriptions file is corrupt',
    ])
    await gateway.stop()
    rmSync(cli.path(subscriptionsName))
  }
})
