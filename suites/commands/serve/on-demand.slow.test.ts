// Parts of a server that load with the first request that needs them: a new process has them in time.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { parse } from 'yaml'
import { expect } from '../../judge/expect.ts'
import { serving, textToImage } from '../../support/spawned.ts'

const folder = join(import.meta.dirname, '../../../recordings/scenarios')

/** The scenarios that have runs before the first request. */
const withRuns = readdirSync(folder)
  .filter((file) => {
    const { start: before = {} } = parse(readFileSync(join(folder, file), 'utf8'))
    return ['history', 'queue', 'cached'].some((list) => before[list] !== undefined)
  })
  .map((file) => file.replace('.yaml', ''))

const submit = {
  method: 'POST',
  body: JSON.stringify({ prompt: JSON.parse(readFileSync(textToImage, 'utf8')) }),
}

test.each([
  ...withRuns.map((name) => ['scenario', ['--scenario', name], '/api/prompt'] as const),
  ['picture', [], '/view?filename=example.png&type=input'],
  ['submit', [], '/prompt', submit],
  ['hosted submit', ['--deployment', 'hosted'], '/api/prompt', submit],
  ['list of assets', ['--like', 'comfyui-0.38'], '/api/assets'],
] as const)(
  'on-demand/first A new process answers a %s, its first request, %j',
  async (_, flags, path, init: RequestInit = {}) => {
    const { url, stop } = await serving(...flags)
    const headers = { 'X-API-Key': 'test-key' }
    expect((await fetch(url + path, { headers, ...init })).status).toBe(200)
    await stop()
  },
)
