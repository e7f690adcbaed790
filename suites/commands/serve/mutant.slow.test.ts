// Servers with one deliberate fault: --mutant plays them, and `flowdouble mutants` lists them.

import { mutants } from '../../mutants/index.ts'
import { rules } from '../../../spec/index.ts'
import { startGateway } from 'flowdouble'
import { ownWorld, proves, test } from '../../judge/proves.ts'
import { SECRET } from '../../judge/gateway-subject.ts'
import { postTo, startOptions, withCli } from '../../support/command-line.ts'
import { serving, start } from '../../support/spawned.ts'
import { expect } from '../../judge/expect.ts'

/** A fault of each deployment that one request shows, with the status of its reply. */
const faults = {
  local: { name: 'http/empty-is-204', rule: 'http/empty-replies', path: '/history', status: 204 },
  hosted: {
    name: 'system/feedback-is-200',
    rule: 'system/hosted-feedback',
    path: '/api/feedback',
    status: 200,
  },
} as const

const run = (...flags: readonly string[]) => start('mutants', ...flags).ends

proves(
  'deployments/mutant',
  async ({ deployment }) => {
    const { name, rule, path, status } = faults[deployment]
    const flags = ['--deployment', deployment, '--mutant', name]
    const { url, logs, stop } = await serving(...flags)
    const headers = { 'X-API-Key': 'test-key' }
    const body = JSON.stringify({ clear: true, type: 'bug', rating: 5 })
    const reply = await fetch(`${url}${path}`, { method: 'POST', headers, body })
    expect(reply.status).toBe(status)
    // The log hides the secrets of the server, which it finds out for its first line.
    await logs(new RegExp(`${status} POST ${path}`))
    expect((await fetch(url, { headers })).ok).toBe(deployment === 'local')
    const { says } = rules[rule]
    expect((await stop()).stderr).toContain(
      `Mutant ${name}: wrong on purpose. It breaks ${rule} (${says})\n`,
    )
  },
  ownWorld,
)

proves(
  'webhooks/mutant',
  withCli(async ({ dir }) => {
    const flags = ['--config-dir', dir, '--port', '0', '--mutant', 'signatures/anything-goes']
    const { options, stderr } = await startOptions({}, ...flags)
    expect(stderr).toContain('It breaks signatures/every-post (')
    const gateway = await startGateway({ ...options, routes: { hook: { secret: SECRET } } })
    expect(await postTo(gateway.url, 'hook', 'another secret')).toBe(202)
    await gateway.close()
  }),
)

test('serve/mutant-beside A wrong gateway also runs beside a server, which is right', async () => {
  const name = 'webhooks/health-is-ill'
  const flags = ['--with-gateway', '--gateway-port', '0', '--mutant', name]
  const { url, gateway, stop } = await serving(...flags)
  const [server, health] = [await fetch(`${url}/queue`), await fetch(`${gateway}/health`)]
  expect({ server: server.status, health: health.status }).toEqual({ server: 200, health: 503 })
  await stop()
})

test('mutants/list The command lists each mutant with its places and the rules that it breaks', async () => {
  const text = await run()
  expect(text.stdout).toMatch(/^http\/empty-is-204 +local +http\/empty-replies$/m)
  expect(text.stdout).toContain(`\n${mutants.length} mutants.\n`)
  const listed = JSON.parse((await run('--json')).stdout) as readonly { name: string }[]
  expect(listed.map(({ name }) => name)).toEqual(mutants.map(([name]) => name))
  expect(listed.find(({ name }) => name === 'http/empty-is-204')).toEqual({
    name: 'http/empty-is-204',
    on: ['local'],
    breaks: [{ id: 'http/empty-replies', says: rules['http/empty-replies'].says }],
  })
})
