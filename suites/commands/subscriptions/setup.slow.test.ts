// The wizard of the gateway: its questions, the flags that answer them, and what it writes.

import { chmodSync, rmSync } from 'node:fs'
import { gatewaySettings } from '../../../spec/gateway/subscriptions.ts'
import { provesCli, optionsOf, runWizard, urlOf, expectEnd } from '../../support/command-line.ts'
import { expect } from '../../judge/expect.ts'

const onOffQuestion = /yes or no/
provesCli(
  'subscriptions/setup',
  async (cli) => {
    const answer = (...answers: readonly (readonly [question: RegExp, answer: string])[]) =>
      runWizard(['setup', '--config-dir', cli.dir], answers)
    const ended = await answer(
      [onOffQuestion, 'maybe\n'],
      [onOffQuestion, 'y\n'],
      [/Port\? \[8644\]/, 'ninety\n'],
      [/Port\?/, '9005\n'],
      [/secret/i, 'typed-secret\n'],
    )
    // The typed secret is never shown.
    expectEnd(ended, { code: 0, hides: 'typed-secret' })
    expect(cli.read('.env')).toBe('WEBHOOK_SECRET=typed-secret\n')
    expect(await optionsOf(cli)).toMatchObject({ port: 9005, secret: 'typed-secret' })
    expect(await urlOf(cli)).toBe('http://127.0.0.1:9005/webhooks/a')
    // Empty answers keep existing values, including a secret.
    const config = cli.read('config.yaml')
    const kept = await answer(
      [onOffQuestion, '\n'],
      [/Port\? \[9005\]/, '\n'],
      [/keeps the current one/, '\n'],
    )
    expectEnd(kept, { code: 0 })
    expect(cli.read('config.yaml')).toBe(config)
    expect(cli.read('.env')).toBe('WEBHOOK_SECRET=typed-secret\n')
    // No means no, and Ctrl+C or the end of the input changes nothing.
    for (const stop of ['\u0003', '\u0004']) {
      const stopped = await answer([onOffQuestion, 'yes\n'], [/Port\?/, stop])
      expectEnd(stopped, { code: 1, stderr: /nothing was written/ })
      expect(cli.read('config.yaml')).toBe(config)
    }
    await answer([onOffQuestion, 'no\n'])
    expect((await cli.run('webhook', 'list')).code).toBe(1)
  },
  null,
)

provesCli(
  'subscriptions/setup-flags',
  async (cli) => {
    const flags = ['--enable', '--host', '0.0.0.0', '--port', '9006', '--secret', '-', '--yes']
    const piped = { stdin: 'piped secret\n' }
    const ended = await cli.runIn(piped, 'gateway', 'setup', ...flags, '--json')
    expectEnd(ended, { code: 0, hides: 'piped secret' })
    const host = '0.0.0.0'
    expect(ended.json()).toMatchObject({ enabled: true, host, port: 9006, has_secret: true })
    const secret = 'piped secret'
    expect(await optionsOf(cli)).toMatchObject({ host, port: 9006, secret })
    // What no flag answers stays as it is.
    expect((await cli.run('gateway', 'setup', '--port', '9007', '--yes')).code).toBe(0)
    expect(await optionsOf(cli)).toMatchObject({ host, port: 9007, secret })
    // Without a terminal there is nobody to ask.
    expectEnd(await cli.run('gateway', 'setup', '--port', '9008'), { code: 2, stderr: /--yes/ })
    expect((await cli.run('gateway', 'setup', '--disable', '--yes')).code).toBe(0)
    expect((await cli.run('webhook', 'list')).code).toBe(1)
    for (const wrong of ['', 'INSECURE_NO_AUTH'])
      expect((await cli.run('gateway', 'setup', '--yes', '--secret', wrong)).code).toBe(1)
  },
  null,
)

provesCli('subscriptions/setup-writes', async (cli) => {
  cli.write(
    'config.yaml',
    '# of mine\nother: [1, 2]   # kept\nplatforms:\n  # the gateway\n  webhook:\n    enabled: false # for now\n    extra:\n      routes:\n        fixed: {secret: "0123"}\n  slack: {token: x}\n',
  )
  cli.write('.env', "# keys\nOTHER='a # b'\nWEBHOOK_SECRET=old # replaced\nWEBHOOK_PORT=1\nLAST=z")
  const flags = ['--enable', '--port', '9010', '--secret', "it's #1"]
  expect((await cli.run('gateway', 'setup', ...flags, '--yes')).code).toBe(0)
  const config = cli.read('config.yaml')
  const kept = ['# of mine', '# kept', '# the gateway', '# for now', 'fixed: {', 'slack: {']
  for (const text of kept) expect(config).toContain(text)
  expect(config).not.toContain('#1')
  expect(cli.read('.env')).toBe(
    "# keys\nOTHER='a # b'\nWEBHOOK_SECRET=\"it's #1\"\nWEBHOOK_PORT=9010\nLAST=z",
  )
  // Entering the same secret again narrows a file whose mode somebody has widened.
  chmodSync(cli.path('.env'), 0o644)
  expect((await cli.run('gateway', 'setup', ...flags, '--yes')).code).toBe(0)
  expect(cli.mode('.env')).toBe(0o600)
  // config.yaml has the mode that its owner gave it.
  for (const mode of [0o600, 0o666]) {
    chmodSync(cli.path('config.yaml'), mode)
    const port = String(mode)
    expect((await cli.run('gateway', 'setup', '--port', port, '--yes')).code).toBe(0)
    expect(cli.mode('config.yaml')).toBe(mode)
    expect(cli.read('config.yaml')).toContain(port)
  }
  await cli.run('gateway', 'setup', '--port', '9010', '--yes')
  // Gateway and commands use the answers, whatever was in .env.
  expect(await optionsOf(cli)).toMatchObject({ port: 9010, secret: "it's #1" })
  expect(await urlOf(cli)).toBe('http://127.0.0.1:9010/webhooks/a')
  // An invalid file is left as it is, and so is the other one.
  rmSync(cli.path('.env'))
  for (const text of ['a: [', 'platforms: 7', 'platforms: {webhook: [1]}']) {
    cli.write('config.yaml', text)
    const { code } = await cli.run('gateway', 'setup', '--enable', '--secret', 's', '--yes')
    const kept = { config: cli.read('config.yaml'), hasEnv: cli.has('.env') }
    expect({ code, ...kept }).toEqual({ code: 1, config: text, hasEnv: false })
  }
  cli.write('config.yaml', '# nothing yet\n')
  const env = { [gatewaySettings.port.variable]: '1' }
  const ended = await cli.runIn({ env }, 'gateway', 'setup', '--enable', '--port', '2', '--yes')
  expectEnd(ended, { code: 0, stderr: /WEBHOOK_PORT/ })
  expect(cli.read('config.yaml')).toContain('# nothing yet')
  expect(await optionsOf(cli)).toMatchObject({ port: 2 })
})

provesCli('subscriptions/secret-text', async (cli) => {
  const bytes = [Buffer.from([0x61, 0xff, 0x62]), ' ', '\u00a0', ' a', 'a ', '\ufeffa']
  const url = ['--url', 'http://127.0.0.1:1']
  for (const content of bytes) {
    cli.write('key', content)
    const file = ['--secret-file', cli.path('key')]
    for (const argv of [
      ['webhook', 'subscribe', 'a', ...file],
      ['webhook', 'test', ...url, ...file],
      ['gateway', 'setup', '--yes', ...file],
    ]) {
      const says = /^The secret (is not valid UTF-8|is blank|begins or ends)/
      expectEnd(await cli.run(...argv), { code: 1, stdout: '', stderr: says })
    }
  }
  expect([cli.has('.env'), cli.has('webhook_subscriptions.json')]).toEqual([false, false])
  const piped = { stdin: ' \n' }
  const { code } = await cli.runIn(piped, 'webhook', 'subscribe', 'a', '--secret', '-')
  expect(code).toBe(1)
})

provesCli('subscriptions/secret-encoded', async (cli) => {
  const codeOf = async (secret: string): Promise<number[]> => {
    const given = ['--secret', secret]
    const subscribed = await cli.run('webhook', 'subscribe', 'a', ...given)
    const setUp = await cli.run('gateway', 'setup', '--yes', ...given)
    if (subscribed.code !== 0) expect(subscribed.stderr).toMatch(/whsec_ .* not valid base64/)
    return [subscribed.code, setUp.code]
  }
  for (const secret of ['whsec_', 'whsec_!!!', 'whsec_a b', 'whsec_a2V5=a2V5', 'whsec_='])
    expect([secret, ...(await codeOf(secret))]).toEqual([secret, 1, 1])
  expect([cli.has('.env'), cli.has('webhook_subscriptions.json')]).toEqual([false, false])
  // Payment senders sign with the second one as it is.
  for (const secret of ['whsec_a2V5Pz5rZXk=', 'whsec_test_secret', '!!!'])
    expect([secret, ...(await codeOf(secret))]).toEqual([secret, 0, 0])
})
