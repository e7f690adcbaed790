// Routes that name the scheme of their sender: the commands that write, list and test them, and a gateway with them.

import { Webhook } from 'standardwebhooks'
import { builtInSchemes } from '../../../dist/emulator/internal.js'
import { enabled, expectEnd, provesCli, runGateway } from '../../support/command-line.ts'
import { expect } from '../../judge/expect.ts'

const ownScheme =
  'schemes: {acme: {header: X-Acme, signs: "{time}/{body}", time: {header: X-Time}}}'

provesCli('subscriptions/scheme', async (cli) => {
  cli.write('config.yaml', enabled(ownScheme))
  const secretOf = async (...argv: readonly string[]): Promise<string> =>
    (await cli.run('webhook', 'subscribe', ...argv, '--json')).json().secret
  const plain = await secretOf('plain', '--as', 'github')
  expect(plain).toMatch(/^[\w-]{43}$/)
  expect(cli.routes().plain.scheme).toBe('github')
  // Senders decode this one: their library takes it.
  const coded = await secretOf('coded', '--as', 'standard')
  expect(coded).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(new Webhook(coded).sign('id', new Date(0), '{}')).toMatch(/^v1,/)
  expect(await secretOf('user', '--as', 'basic')).toMatch(/^webhook:[\w-]{43}$/)
  await secretOf('own', '--as', 'acme')
  expect(cli.routes().own.scheme).toBe('acme')
  expect((await cli.run('webhook', 'list')).stdout).toContain('Signed:  like acme')
  const listed = (await cli.run('webhook', 'list', '--json')).json()
  expect(listed.map(({ scheme }: { scheme?: string }) => scheme)).toEqual([
    'github',
    'standard',
    'basic',
    'acme',
  ])
  // Subscribing again keeps the secret; the scheme is that of this time, or none.
  expect(await secretOf('plain')).toBe(plain)
  expect(cli.routes().plain).not.toHaveProperty('scheme')
  const unfit = await cli.run('webhook', 'subscribe', 'plain', '--as', 'basic')
  expectEnd(unfit, { code: 1, stderr: /USER:PASSWORD/, hides: plain })
  expect(cli.routes().plain).not.toHaveProperty('scheme')
  expect(await secretOf('plain', '--as', 'basic', '--new-secret')).toContain(':')
  const unknown = await cli.run('webhook', 'subscribe', 'x', '--as', 'githup')
  expectEnd(unknown, { code: 2, stderr: /github, .*acme\. Did you mean github\?/ })
  expect(cli.routes()).not.toHaveProperty('x')
})

provesCli(
  ['subscriptions/scheme', 'subscriptions/test-as', 'signatures/named-scheme'],
  async (cli) => {
    cli.write('config.yaml', enabled(ownScheme, 'port: 0'))
    const names = [...builtInSchemes.map(({ name }) => name), 'acme']
    for (const name of names) await cli.run('webhook', 'subscribe', name, '--as', name)
    const { url, stop } = await runGateway(cli)
    const { port } = new URL(url)
    cli.write('config.yaml', enabled(ownScheme, `port: ${port}`))
    for (const name of names) {
      // Without --as the command signs like the scheme of the route.
      const own = await cli.run('webhook', 'test', name, '--json')
      expect([name, own.json()]).toEqual([
        name,
        expect.objectContaining({ as: name, status: 202, triggered: true }),
      ])
      const other = name === 'generic' ? 'github' : 'generic'
      const wrong = (await cli.run('webhook', 'test', name, '--as', other, '--json')).json()
      expect([name, wrong]).toEqual([name, expect.objectContaining({ as: other, status: 401 })])
    }
    expect((await cli.run('webhook', 'test', 'acme', '--as', 'acme')).code).toBe(0)
    // An address elsewhere can be signed for by a scheme of config.yaml as well.
    const elsewhere = ['--url', `${url}/webhooks/acme`, '--secret', cli.routes().acme.secret]
    expect((await cli.run('webhook', 'test', ...elsewhere, '--as', 'acme')).code).toBe(0)
    expect((await cli.run('webhook', 'test', ...elsewhere, '--as', 'acne')).code).toBe(2)
    await stop()
  },
)

provesCli('subscriptions/unknown-scheme', async (cli) => {
  const routes = (scheme: string) => `routes: {ci: {secret: s, scheme: ${scheme}}}`
  for (const scheme of ['githup', '5', '[]', '""']) {
    cli.write('config.yaml', enabled(routes(scheme)))
    expectEnd(await cli.run('gateway', 'run', '--port', '0'), {
      code: 1,
      stderr: /The static route "ci" names the unknown scheme/,
    })
  }
  cli.write('config.yaml', enabled())
  await cli.run('webhook', 'subscribe', 'ci', '--secret', 'secret-of-ci')
  const { ci } = cli.routes()
  const file = JSON.stringify({ ci: { ...ci, scheme: 'acme' }, open: { ...ci, scheme: null } })
  cli.write('webhook_subscriptions.json', file)
  expect((await cli.run('webhook', 'list')).stdout).toContain(
    'Note:    the route names the unknown',
  )
  const { url, stop } = await runGateway(cli)
  const statusOf = async (name: string): Promise<number> =>
    (
      await fetch(`${url}/webhooks/${name}`, {
        method: 'POST',
        headers: { 'X-Gitlab-Token': 'secret-of-ci' },
      })
    ).status
  expect([await statusOf('ci'), await statusOf('open')]).toEqual([404, 202])
  expect((await stop()).stderr).toContain('"ci" names the unknown scheme "acme"')
})

provesCli('signatures/own-scheme-checked', async (cli) => {
  cli.write('config.yaml', enabled('schemes: {acme: {header: X-Acme, encoding: base46}}'))
  for (const argv of [
    ['gateway', 'run'],
    ['webhook', 'list'],
  ])
    expectEnd(await cli.run(...argv), {
      code: 1,
      stderr:
        /extra\.schemes of config\.yaml: acme\.encoding must be one of hex, base64, text; did you mean base64\?/,
    })
})
