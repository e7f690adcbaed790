// The doctor of a gateway whose store is a PostgreSQL database: at PGHOST, or on this machine.

import { onTestFinished } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { expectEnd, provesCli } from '../../support/command-line.ts'
import { freePort } from '../../support/free-port.ts'
import { startStored } from '../../support/stores/gateways.ts'
import { inServer, newDatabase } from '../../support/stores/postgres.ts'
import { found } from './findings.ts'

provesCli('doctor/store-shared', async (cli) => {
  const { url, name } = await newDatabase()
  const at = (place: string) => found(cli, 'store', '--store', place)
  const nobody = `postgres://user:of-the-database@127.0.0.1:${await freePort()}/x`
  expect(await at(nobody)).toEqual(['problem: PostgreSQL cannot be used (ECONNREFUSED)'])
  expectEnd(await cli.run('gateway', 'doctor', '--store', nobody), {
    code: 1,
    stdout: /pg_isready/,
    hides: 'of-the-database',
  })
  expect(await at(`${url}_none`)).toEqual(['problem: PostgreSQL cannot be used (3D000)'])
  expect(await at(url)).toEqual([
    expect.stringMatching(/^ok: PostgreSQL \S+ can be reached, and gateway run will create/),
  ])
  await inServer(`CREATE ROLE ${name} LOGIN`)
  onTestFinished(async () => {
    await inServer(`DROP ROLE ${name}`)
  })
  const other = new URL(url)
  other.username = name
  await inServer('REVOKE CREATE ON SCHEMA public FROM PUBLIC', name)
  expect(await at(other.href)).toEqual(['problem: The user of --store cannot create tables'])
  const gateway = await startStored(url)
  expect(await at(url)).toEqual([expect.stringMatching(/and 1 of its gateways and workers run$/)])
  expect(await at(other.href)).toEqual([
    'problem: The user of --store cannot use the tables of the store',
  ])
  await gateway.close()
  await inServer('UPDATE flowdouble_store SET version = 99', name)
  expect(await at(url)).toEqual(['problem: The store has version 99, and this flowdouble knows 1'])
})
