// `serve --shared` as a command: what it prints, and a world of it as a client of a job uses it.

import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { solid } from '../../generate/graphs.ts'
import { start } from '../../support/spawned.ts'

const ADMIN = 'token-of-the-admin'

test('shared/flag The command says how to get a world, whose address a client uses like a server', async () => {
  const command = start('serve', '--shared', '--control-token', ADMIN, '--port', '0')
  const text = await command.says(/Ctrl\+C/)
  const [, place] = /Worlds +PUT (http:\S+worlds\/)NAME, with the control token\n/.exec(text) ?? []
  expect(text).toMatch(/Page +http:\S+\/_flowdouble\/, which asks for it\n/)
  expect(text).not.toContain('Inspector')
  const headers = { Authorization: `Bearer ${ADMIN}` }
  const made = await fetch(`${place}job-17`, { method: 'PUT', headers })
  const { url, worldToken } = (await made.json()) as { url: string; worldToken: string }
  const body = JSON.stringify({ prompt: solid() })
  expect((await fetch(`${url}/prompt`, { method: 'POST', body })).status).toBe(200)
  const own = { Authorization: `Bearer ${worldToken}` }
  const runs = await fetch(`${url}/_flowdouble/runs`, { headers: own })
  expect(await runs.json()).toHaveLength(1)
  const { stdout, stderr } = await command.stop()
  expect(stdout + stderr).not.toContain(ADMIN)
  expect(stdout + stderr).not.toContain(worldToken)
})
