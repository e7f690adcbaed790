// Keys of worlds that share an address.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replay, startEmulator } from 'flowdouble'
import { expect } from '../../judge/expect.ts'
import { ownWorld, proves, test } from '../../judge/proves.ts'
import { folder } from '../../support/folder.ts'

const ann = {
  user: 'ann',
  keys: ['key-of-ann-alone'],
  partnerKey: null,
  tier: 'pro',
  balance: 1000,
  subscription: 'active',
  failsWith: null,
} as const

proves(
  'control/keys-of-worlds',
  async ({ raw, emulator }) => {
    const server = emulator!
    const early = await server.world({ name: 'early' })
    const world = await server.world({ name: 'ann', accounts: [ann] })
    const branch = await early.fork('branch')
    const headers = { 'X-API-Key': 'test-key', 'X-Other': ann.keys[0] }
    const path = `/api/queue?note=${ann.keys[0]}`
    for (const at of ['', '/w/early', '/w/ann', '/w/branch'])
      await raw('POST', at + path, JSON.stringify({ [ann.keys[0]]: ann.keys[0] }), headers)
    for (const one of [server, early, world, branch]) {
      const lines = await one.journal()
      expect(lines.length).toBeGreaterThan(1)
      expect(lines.join('\n')).not.toContain(ann.keys[0])
      expect(JSON.stringify(await one.requests())).not.toContain(ann.keys[0])
      expect(replay(lines)).toEqual({ entries: lines.length - 1, differs: null })
    }
  },
  { ...ownWorld, deployment: 'hosted' },
)

test('control/keys-of-worlds A journal file contains no key of a world that is created later', async () => {
  const journal = join(folder(), 'journal.jsonl')
  const server = await startEmulator({ journal, deployment: 'hosted', clock: 'manual' })
  await server.world({ accounts: [ann] })
  await fetch(`${server.url}/api/queue?note=${ann.keys[0]}`, {
    headers: { 'X-API-Key': 'test-key' },
  })
  await server.close()
  const text = readFileSync(journal, 'utf8')
  expect(text).toContain('/api/queue?note=')
  expect(text).not.toContain(ann.keys[0])
})
