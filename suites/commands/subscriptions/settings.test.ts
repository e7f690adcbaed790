// The sources of the gateway's settings, and their precedence.

import {
  provesCli,
  enabled,
  optionsOf,
  startOptions,
  provesCliQuirk,
  urlOf,
  expectEnd,
} from '../../support/command-line.ts'
import { expect } from '../../judge/expect.ts'

provesCli('subscriptions/settings', async (cli) => {
  cli.write(
    'config.yaml',
    enabled(
      'port: 9001',
      'host: 10.0.0.1',
      'secret: yaml-secret',
      'rate_limit: 5',
      'max_body_bytes: 99',
    ),
  )
  const { port, host, secret, rateLimit, maxBodyBytes } = await optionsOf(cli)
  expect({ port, host, secret, rateLimit, maxBodyBytes }).toEqual({
    port: 9001,
    host: '10.0.0.1',
    secret: 'yaml-secret',
    rateLimit: 5,
    maxBodyBytes: 99,
  })
  expect(await urlOf(cli)).toBe('http://10.0.0.1:9001/webhooks/a')
  // The same from .env, each alone, and from the environment.
  cli.write('config.yaml', '')
  const lines = ['WEBHOOK_ENABLED=yes', 'WEBHOOK_PORT=9002', 'export WEBHOOK_SECRET="env secret"']
  cli.write('.env', `# settings\n${lines.join('\n')}\n`)
  expect(await optionsOf(cli)).toMatchObject({ port: 9002, secret: 'env secret' })
  expect(await urlOf(cli)).toBe('http://127.0.0.1:9002/webhooks/a')
  cli.write('config.yaml', enabled())
  for (const line of lines.slice(1)) {
    cli.write('.env', line)
    const { port, secret } = await optionsOf(cli)
    expect([port, secret]).toEqual(line.includes('PORT') ? [9002, null] : [8644, 'env secret'])
  }
  cli.write('.env', '')
  cli.write('config.yaml', '')
  const env = { WEBHOOK_ENABLED: 'TRUE', WEBHOOK_PORT: '9003', WEBHOOK_SECRET: 's' }
  expect(await optionsOf(cli, env)).toMatchObject({ port: 9003, secret: 's' })
  expect(await urlOf(cli, env)).toBe('http://127.0.0.1:9003/webhooks/a')
})

provesCli('subscriptions/precedence', async (cli) => {
  cli.write(
    'config.yaml',
    enabled('port: 9001', 'secret: in-yaml', 'base_url: http://yaml.example'),
  )
  cli.write('.env', 'WEBHOOK_PORT=9002\nWEBHOOK_SECRET=in-env-file\n')
  const env = { WEBHOOK_PORT: '9003', WEBHOOK_SECRET: 'in-environment' }
  expect(await optionsOf(cli)).toMatchObject({ port: 9002, secret: 'in-env-file' })
  expect(await optionsOf(cli, env)).toMatchObject({
    port: 9003,
    secret: 'in-environment',
  })
  expect((await optionsOf(cli, env, '--port', '9004')).port).toBe(9004)
  // An empty value is not set, and off overrides on as on overrides off.
  expect((await optionsOf(cli, { WEBHOOK_PORT: '' })).port).toBe(9002)
  expect(
    (await startOptions({ env: { WEBHOOK_ENABLED: 'off' } }, '--config-dir', cli.dir)).code,
  ).toBe(1)
  const base = 'http://flag.example'
  const listed = await cli.run('webhook', 'subscribe', 'a', '--json', '--webhook-base-url', base)
  expect(listed.json().webhook_url).toBe(`${base}/webhooks/a`)
})

provesCli(['subscriptions/host', 'subscriptions/loopback', 'subscriptions/port'], async (cli) => {
  expect(await optionsOf(cli)).toMatchObject({ host: '127.0.0.1', port: 8644 })
  const env = { WEBHOOK_HOST: '10.0.0.1', HOST: '10.0.0.2' }
  expect((await optionsOf(cli, env)).host).toBe('127.0.0.1')
  cli.write('config.yaml', enabled('host: 0.0.0.0'))
  expect((await optionsOf(cli)).host).toBe('0.0.0.0')
  expect(await optionsOf(cli, {}, '--host', '::1', '--port', '0')).toMatchObject({
    host: '::1',
    port: 0,
  })
})

provesCli('subscriptions/switch-words', async (cli) => {
  const codeOf = async (word: string): Promise<number[]> => {
    cli.write('config.yaml', `platforms: {webhook: {enabled: ${word}}}`)
    const fromFile = await cli.run('webhook', 'list')
    cli.write('config.yaml', '')
    const env = { WEBHOOK_ENABLED: word }
    return [fromFile.code, (await cli.runIn({ env }, 'webhook', 'list')).code]
  }
  for (const word of ['true', '1', 'yes', 'on', 'True', 'YES', 'oN'])
    expect([word, ...(await codeOf(word))]).toEqual([word, 0, 0])
  for (const word of ['false', '0', 'no', 'off', 'FALSE', 'No'])
    expect([word, ...(await codeOf(word))]).toEqual([word, 1, 1])
  const { stderr } = await cli.runIn({ env: { WEBHOOK_ENABLED: 'perhaps' } }, 'webhook', 'list')
  expect(stderr).toMatch(/WEBHOOK_ENABLED.*"perhaps"/)
})

provesCli('subscriptions/bad-setting', async (cli) => {
  const bad: [string, string][] = [
    ['extra.port', 'port: 70000'],
    ['extra.port', 'port: many'],
    ['extra.host', 'host: [1]'],
    ['extra.secret', 'secret: 123456'],
    ['extra.base_url', 'base_url: example'],
    ['extra.base_url', 'base_url: http://user:123456@x.example'],
    ['extra.base_url', 'base_url: http://x.example/?'],
    ['extra.base_url', 'base_url: "http://x.example/#"'],
    ['extra.routes', 'routes: [a]'],
    ['extra.routes', 'routes: {a: 1}'],
    ['extra.rate_limit', 'rate_limit: -1'],
    ['extra.max_body_bytes', 'max_body_bytes: 1.5'],
  ]
  for (const [key, line] of bad) {
    cli.write('config.yaml', enabled(line))
    for (const argv of [
      ['webhook', 'list'],
      ['gateway', 'run'],
    ]) {
      expectEnd(await cli.run(...argv), {
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(key),
        hides: '123456',
      })
    }
  }
  // The message for an invalid file names the place, and does not repeat its lines.
  for (const text of [
    'a: [\nsecret: hidden-one',
    'platforms: 7',
    '--- 1\n--- 2',
    'a: *hidden-one',
  ]) {
    cli.write('config.yaml', text)
    expectEnd(await cli.run('webhook', 'list'), {
      code: 1,
      stderr: /config\.yaml/,
      hides: 'hidden-one',
    })
  }
  cli.write('config.yaml', enabled())
  cli.write('.env', 'WEBHOOK_PORT=0x10')
  expect((await cli.run('webhook', 'list')).stderr).toContain('WEBHOOK_PORT of .env')
})

provesCli('subscriptions/env-lines', async (cli) => {
  for (const line of ['hidden-one', 'export PATH', 'hidden-one "a=b"', '= 1']) {
    cli.write('.env', `# mine\n\n${line}\nWEBHOOK_PORT=9004\n`)
    for (const argv of [
      ['webhook', 'list'],
      ['gateway', 'run'],
      ['gateway', 'setup', '--yes', '--secret', 's'],
    ]) {
      expectEnd(await cli.run(...argv), {
        code: 1,
        stdout: '',
        stderr: /Line 3 of \.env/,
        hides: 'hidden-one',
      })
    }
  }
  const settings = "KEY='one\ntwo\nthree'\r\n\texport WEBHOOK_PORT=9004 # mine\r\n"
  cli.write('.env', `EMPTY=\n${settings}export WEBHOOK_SECRET="from .env"`)
  expect(await optionsOf(cli)).toMatchObject({ port: 9004, secret: 'from .env' })
})

provesCliQuirk('webhooks.env-needs-enabled', async (cli) => {
  const quirk = ['--quirk', 'webhooks.env-needs-enabled']
  const env = { WEBHOOK_PORT: '9003', WEBHOOK_SECRET: 's' }
  expect(await optionsOf(cli, env, ...quirk)).toMatchObject({ port: 8644, secret: null })
  const both = { ...env, WEBHOOK_ENABLED: 'true' }
  expect(await optionsOf(cli, both, ...quirk)).toMatchObject({ port: 9003, secret: 's' })
})

provesCliQuirk('webhooks.cli-ignores-env', async (cli) => {
  const quirk = ['--quirk', 'webhooks.cli-ignores-env']
  const env = { WEBHOOK_PORT: '9003', WEBHOOK_ENABLED: 'false' }
  expectEnd(await cli.runIn({ env }, 'webhook', 'subscribe', 'a', ...quirk), {
    code: 0,
    stdout: /:8644\/webhooks\/a/,
  })
  // The gateway reads it all the same.
  expect((await startOptions({ env }, '--config-dir', cli.dir, ...quirk)).code).toBe(1)
})

provesCli('subscriptions/unknown-setting', async (cli) => {
  const yaml = (...lines: readonly string[]) => cli.write('config.yaml', lines.join('\n'))
  const mistakes: readonly (readonly [lines: readonly string[], says: RegExp])[] = [
    [['  webhook:', '    enabeld: true'], /webhook\.enabeld .* Did you mean enabled\?/],
    [
      ['  webhook:', '    enabled: true', '    extra:', '      prot: 1'],
      /extra\.prot of config\.yaml is not a setting\. Did you mean port\?/,
    ],
  ]
  for (const [lines, says] of mistakes) {
    yaml('platforms:', ...lines)
    for (const command of [
      ['gateway', 'run', '--port', '0'],
      ['webhook', 'list'],
    ]) {
      const { code, stderr } = await cli.run(...command)
      expect(stderr).toMatch(says)
      expect(code).toBe(1)
    }
  }
  // Settings of other programs in the same file stay.
  yaml('agent:', '  model: x', 'platforms:', '  webhook:', '    enabled: true', '  irc: {}')
  expect((await cli.run('webhook', 'list')).code).toBe(0)
})
