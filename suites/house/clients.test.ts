// The table of clients and their drivers agree: each driver has a row, each row a driver or a reason, and the page of the
// last run shows every one of them. Running the clients takes a network; this does not.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Client, clients } from '../clients/clients.mjs'
import { CORE, driverFile } from '../clients/drive.mjs'

const folder = join(import.meta.dirname, '../clients')
const page = readFileSync(join(import.meta.dirname, '../../recordings/clients.md'), 'utf8')
const driven = clients.filter(({ drop }) => drop === undefined)
const textOf = (client: Client): string => readFileSync(join(folder, driverFile(client)), 'utf8')

test('each driver belongs to a client, and each client that is not dropped has one', () => {
  const shared = new Set(['npm/driver.mjs', 'pypi/driver.py', 'pypi/sdk.py'])
  const drivers = ['npm', 'pypi']
    .flatMap((from) => readdirSync(join(folder, from)).map((file) => `${from}/${file}`))
    .filter((file) => !shared.has(file))
  expect(clients.map(driverFile)).toEqual(expect.arrayContaining(drivers))
  expect(drivers).toEqual(expect.arrayContaining(driven.map(driverFile)))
})

test.each(driven)('the driver of $name reports each core check, or its row says why not', (one) => {
  const text = `${textOf(one)}${readFileSync(join(folder, 'pypi/sdk.py'), 'utf8')}`
  const reported = /\bsdk\.drive\(/.test(textOf(one)) ? text : textOf(one)
  const lacking = CORE.filter((check) => !new RegExp(`check\\(["']${check}["']`).test(reported))
  expect(lacking).toEqual(Object.keys(one.skips ?? {}).filter((check) => CORE.includes(check)))
})

test.each(driven)('the driver of $name does not ask which server it has', (one) => {
  expect(textOf(one)).not.toMatch(/_flowdouble|X-Flowdouble|comfyui_version|deploy_environment/)
})

test.each(clients)('the page of the last run shows $name $version', ({ name, version, drop }) => {
  const row = page.split('\n').find((line) => line.includes(`| ${name} `) && line.includes(version))
  expect(row).toBeDefined()
  if (drop !== undefined) expect(row).toContain(drop)
})

test('no check failed in the last run', () => {
  expect(page).not.toContain('**')
})
