// Parts of a server that load with the first request that needs them: a new process has them in time.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { start, textToImage } from '../../support/spawned.ts'

const folder = join(import.meta.dirname, '../../../recordings/scenarios')

/** The scenarios that have runs before the first request. */
const withRuns = readdirSync(folder)
  .filter((file) => {
    const { start: before = {} } = parse(readFileSync(join(folder, file), 'utf8'))
    return ['history', 'queue', 'cached'].some((list) => before[list] !== undefined)
  })
  .map((file) => file.replace('.yaml', ''))

/** Serves with these flags, and answers requests until the callback is done. */
async function serving(
  flags: readonly string[],
  ask: (request: (path: string, init?: RequestInit) => Promise<Response>) => Promise<void>,
): Promise<void> {
  const server = start('serve', '--port', '0', '--json', ...flags)
  const [, url = ''] = /"url":"([^"]+)"/.exec(await server.says(/\n/)) ?? []
  const headers = { 'X-API-Key': 'test-key' }
  try {
    await ask((path, init) => fetch(url + path, { headers, ...init }))
  } finally {
    server.process.kill()
    await server.ends
  }
}

test('there are scenarios that begin with runs', () => {
  expect(withRuns.length).toBeGreaterThanOrEqual(2)
})

for (const name of withRuns) {
  test(`on-demand/runs The command serves the scenario ${name}`, () =>
    serving(['--scenario', name], async (request) => {
      const { exec_info } = (await (await request('/api/prompt')).json()) as any
      expect(exec_info.queue_remaining).toBeGreaterThanOrEqual(0)
    }))
}

const submit = {
  method: 'POST',
  body: JSON.stringify({ prompt: JSON.parse(readFileSync(textToImage, 'utf8')) }),
}

const firstRequests = [
  ['a picture', [], '/view?filename=example.png&type=input', undefined, 200],
  ['a submit', [], '/prompt', submit, 200],
  ['a hosted submit', ['--deployment', 'hosted'], '/api/prompt', submit, 200],
  ['assets', ['--like', 'comfyui-0.38'], '/api/assets', undefined, 200],
] as const
for (const [what, flags, path, init, status] of firstRequests) {
  test(`on-demand/first ${what} is the first request`, () =>
    serving(flags, async (request) => {
      expect((await request(path, init)).status).toBe(status)
    }))
}
