// Where the settings of the gateway stand, which of them wins, and how the wizard writes them.

import { expect } from 'vitest'
import { gatewaySettings } from '../../spec/subscriptions.ts'
import { atDesk, type Desk, enabled, runWizard, startOptions, switchedAtDesk } from '../desk.ts'
import { proves } from '../proves.ts'

const optionsOf = async (desk: Desk, env = {}, ...argv: string[]) => {
  const { options, stderr } = await startOptions({ env }, '--config-dir', desk.dir, ...argv)
  if (options === undefined) throw new Error(`The gateway was not started: ${stderr}`)
  return options
}
const urlOf = async (desk: Desk, env = {}): Promise<string> =>
  (await desk.runIn({ env }, 'webhook', 'subscribe', 'a', '--json')).json().webhook_url

proves(
  'subscriptions/settings',
  atDesk(async (desk) => {
    desk.write(
      'config.yaml',
      enabled(
        'port: 9001',
        'host: 10.0.0.1',
        'secret: yaml-secret',
        'rate_limit: 5',
        'max_body_bytes: 99',
      ),
    )
    const { port, host, secret, rateLimit, maxBodyBytes } = await optionsOf(desk)
    expect([port, host, secret, rateLimit, maxBodyBytes]).toEqual([
      9001,
      '10.0.0.1',
      'yaml-secret',
      5,
      99,
    ])
    expect(await urlOf(desk)).toBe('http://10.0.0.1:9001/webhooks/a')
    // The same from .env, each alone, and from the environment.
    desk.write('config.yaml', '')
    const lines = ['WEBHOOK_ENABLED=yes', 'WEBHOOK_PORT=9002', 'export WEBHOOK_SECRET="env secret"']
    desk.write('.env', `# settings\n${lines.join('\n')}\n`)
    expect(await optionsOf(desk)).toMatchObject({ port: 9002, secret: 'env secret' })
    expect(await urlOf(desk)).toBe('http://127.0.0.1:9002/webhooks/a')
    desk.write('config.yaml', enabled())
    for (const line of lines.slice(1)) {
      desk.write('.env', line)
      const { port, secret } = await optionsOf(desk)
      expect([port, secret]).toEqual(line.includes('PORT') ? [9002, null] : [8644, 'env secret'])
    }
    desk.write('.env', '')
    desk.write('config.yaml', '')
    const env = { WEBHOOK_ENABLED: 'TRUE', WEBHOOK_PORT: '9003', WEBHOOK_SECRET: 's' }
    expect(await optionsOf(desk, env)).toMatchObject({ port: 9003, secret: 's' })
    expect(await urlOf(desk, env)).toBe('http://127.0.0.1:9003/webhooks/a')
  }),
)

proves(
  'subscriptions/precedence',
  atDesk(async (desk) => {
    desk.write(
      'config.yaml',
      enabled('port: 9001', 'secret: in-yaml', 'base_url: http://yaml.example'),
    )
    desk.write('.env', 'WEBHOOK_PORT=9002\nWEBHOOK_SECRET=in-env-file\n')
    const env = { WEBHOOK_PORT: '9003', WEBHOOK_SECRET: 'in-environment' }
    expect(await optionsOf(desk)).toMatchObject({ port: 9002, secret: 'in-env-file' })
    expect(await optionsOf(desk, env)).toMatchObject({ port: 9003, secret: 'in-environment' })
    expect((await optionsOf(desk, env, '--port', '9004')).port).toBe(9004)
    // What is empty is not set, and off wins over on as on wins over off.
    expect((await optionsOf(desk, { WEBHOOK_PORT: '' })).port).toBe(9002)
    expect(
      (await startOptions({ env: { WEBHOOK_ENABLED: 'off' } }, '--config-dir', desk.dir)).code,
    ).toBe(1)
    const base = 'http://flag.example'
    const listed = await desk.run('webhook', 'subscribe', 'a', '--json', '--webhook-base-url', base)
    expect(listed.json().webhook_url).toBe(`${base}/webhooks/a`)
  }),
)

proves(
  ['subscriptions/host', 'subscriptions/loopback', 'subscriptions/port'],
  atDesk(async (desk) => {
    expect(await optionsOf(desk)).toMatchObject({ host: '127.0.0.1', port: 8644 })
    const env = { WEBHOOK_HOST: '10.0.0.1', HOST: '10.0.0.2' }
    expect((await optionsOf(desk, env)).host).toBe('127.0.0.1')
    desk.write('config.yaml', enabled('host: 0.0.0.0'))
    expect((await optionsOf(desk)).host).toBe('0.0.0.0')
    expect(await optionsOf(desk, {}, '--host', '::1', '--port', '0')).toMatchObject({
      host: '::1',
      port: 0,
    })
  }),
)

proves(
  'subscriptions/switch-words',
  atDesk(async (desk) => {
    const codeOf = async (word: string): Promise<number[]> => {
      desk.write('config.yaml', `platforms: {webhook: {enabled: ${word}}}`)
      const fromFile = await desk.run('webhook', 'list')
      desk.write('config.yaml', '')
      const env = { WEBHOOK_ENABLED: word }
      return [fromFile.code, (await desk.runIn({ env }, 'webhook', 'list')).code]
    }
    for (const word of ['true', '1', 'yes', 'on', 'True', 'YES', 'oN'])
      expect([word, ...(await codeOf(word))]).toEqual([word, 0, 0])
    for (const word of ['false', '0', 'no', 'off', 'FALSE', 'No'])
      expect([word, ...(await codeOf(word))]).toEqual([word, 1, 1])
    const { stderr } = await desk.runIn({ env: { WEBHOOK_ENABLED: 'perhaps' } }, 'webhook', 'list')
    expect(stderr).toMatch(/WEBHOOK_ENABLED.*"perhaps"/)
  }),
)

proves(
  'subscriptions/bad-setting',
  atDesk(async (desk) => {
    const bad: [string, string][] = [
      ['extra.port', 'port: 70000'],
      ['extra.port', 'port: many'],
      ['extra.host', 'host: [1]'],
      ['extra.secret', 'secret: 123456'],
      ['extra.base_url', 'base_url: example'],
      ['extra.routes', 'routes: [a]'],
      ['extra.routes', 'routes: {a: 1}'],
      ['extra.rate_limit', 'rate_limit: -1'],
      ['extra.max_body_bytes', 'max_body_bytes: 1.5'],
    ]
    for (const [key, line] of bad) {
      desk.write('config.yaml', enabled(line))
      for (const argv of [
        ['webhook', 'list'],
        ['gateway', 'run'],
      ]) {
        const { code, stdout, stderr } = await desk.run(...argv)
        expect([line, code, stdout]).toEqual([line, 1, ''])
        expect(stderr).toContain(key)
        expect(stderr).not.toContain('123456')
      }
    }
    // A file that cannot be understood is named with the place, and its lines are not repeated.
    for (const text of [
      'a: [\nsecret: hidden-one',
      'platforms: 7',
      '--- 1\n--- 2',
      'a: *hidden-one',
    ]) {
      desk.write('config.yaml', text)
      const { code, stderr } = await desk.run('webhook', 'list')
      expect([text, code, stderr]).toEqual([text, 1, expect.stringContaining('config.yaml')])
      expect(stderr).not.toContain('hidden-one')
    }
    desk.write('config.yaml', enabled())
    desk.write('.env', 'WEBHOOK_PORT=0x10')
    expect((await desk.run('webhook', 'list')).stderr).toContain('WEBHOOK_PORT of .env')
  }),
)

switchedAtDesk('webhooks.env-needs-enabled', async (desk) => {
  const quirk = ['--quirk', 'webhooks.env-needs-enabled']
  const env = { WEBHOOK_PORT: '9003', WEBHOOK_SECRET: 's' }
  expect(await optionsOf(desk, env, ...quirk)).toMatchObject({ port: 8644, secret: null })
  const both = { ...env, WEBHOOK_ENABLED: 'true' }
  expect(await optionsOf(desk, both, ...quirk)).toMatchObject({ port: 9003, secret: 's' })
})

switchedAtDesk('webhooks.cli-ignores-env', async (desk) => {
  const quirk = ['--quirk', 'webhooks.cli-ignores-env']
  const env = { WEBHOOK_PORT: '9003', WEBHOOK_ENABLED: 'false' }
  const { code, stdout } = await desk.runIn({ env }, 'webhook', 'subscribe', 'a', ...quirk)
  expect([code, stdout]).toEqual([0, expect.stringContaining(':8644/webhooks/a')])
  // The gateway reads it all the same.
  expect((await startOptions({ env }, '--config-dir', desk.dir, ...quirk)).code).toBe(1)
})

const onOffQuestion = /yes or no/
proves(
  'subscriptions/setup',
  atDesk(async (desk) => {
    const ended = await runWizard(
      ['setup', '--config-dir', desk.dir],
      [
        [onOffQuestion, 'maybe\n'],
        [onOffQuestion, 'y\n'],
        [/Port\? \[8644\]/, 'ninety\n'],
        [/Port\?/, '9005\n'],
        [/secret/i, 'typed-secret\n'],
      ],
    )
    expect(ended.code).toBe(0)
    // What is typed as the secret shows nowhere.
    expect(ended.stdout + ended.stderr).not.toContain('typed-secret')
    expect(desk.read('.env')).toBe('WEBHOOK_SECRET=typed-secret\n')
    expect(await optionsOf(desk)).toMatchObject({ port: 9005, secret: 'typed-secret' })
    expect(await urlOf(desk)).toBe('http://127.0.0.1:9005/webhooks/a')
    // Empty answers keep what there is, also a secret.
    const kept: [RegExp, string][] = [
      [onOffQuestion, '\n'],
      [/Port\? \[9005\]/, '\n'],
      [/keeps the present one/, '\n'],
    ]
    const config = desk.read('config.yaml')
    expect((await runWizard(['setup', '--config-dir', desk.dir], kept)).code).toBe(0)
    expect([desk.read('config.yaml'), desk.read('.env')]).toEqual([
      config,
      'WEBHOOK_SECRET=typed-secret\n',
    ])
    // No means no, and Ctrl+C or the end of the input changes nothing.
    for (const stop of ['\u0003', '\u0004']) {
      const stopped = await runWizard(
        ['setup', '--config-dir', desk.dir],
        [
          [onOffQuestion, 'yes\n'],
          [/Port\?/, stop],
        ],
      )
      expect([stopped.code, stopped.stderr]).toEqual([
        1,
        expect.stringContaining('nothing was written'),
      ])
      expect(desk.read('config.yaml')).toBe(config)
    }
    await runWizard(['setup', '--config-dir', desk.dir], [[onOffQuestion, 'no\n']])
    expect((await desk.run('webhook', 'list')).code).toBe(1)
  }, null),
)

proves(
  'subscriptions/setup-flags',
  atDesk(async (desk) => {
    const flags = ['--enable', '--host', '0.0.0.0', '--port', '9006', '--secret', '-', '--yes']
    const ended = await desk.runIn(
      { stdin: 'piped secret\n' },
      'gateway',
      'setup',
      ...flags,
      '--json',
    )
    expect(ended.json()).toMatchObject({
      enabled: true,
      host: '0.0.0.0',
      port: 9006,
      has_secret: true,
    })
    expect(ended.stdout).not.toContain('piped secret')
    expect(await optionsOf(desk)).toMatchObject({
      host: '0.0.0.0',
      port: 9006,
      secret: 'piped secret',
    })
    // What no flag answers stays as it is.
    expect((await desk.run('gateway', 'setup', '--port', '9007', '--yes')).code).toBe(0)
    expect(await optionsOf(desk)).toMatchObject({
      host: '0.0.0.0',
      port: 9007,
      secret: 'piped secret',
    })
    // Without a terminal there is nobody to ask.
    const alone = await desk.run('gateway', 'setup', '--port', '9008')
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('--yes')])
    expect((await desk.run('gateway', 'setup', '--disable', '--yes')).code).toBe(0)
    expect((await desk.run('webhook', 'list')).code).toBe(1)
    for (const secret of ['', 'INSECURE_NO_AUTH'])
      expect((await desk.run('gateway', 'setup', '--yes', '--secret', secret)).code).toBe(1)
  }, null),
)

proves(
  'subscriptions/setup-writes',
  atDesk(async (desk) => {
    desk.write(
      'config.yaml',
      '# of mine\nother: [1, 2]   # kept\nplatforms:\n  # the gateway\n  webhook:\n    enabled: false # for now\n    extra:\n      routes:\n        fixed: {secret: "0123"}\n  slack: {token: x}\n',
    )
    desk.write(
      '.env',
      "# keys\nOTHER='a # b'\nWEBHOOK_SECRET=old # replaced\nWEBHOOK_PORT=1\nLAST=z",
    )
    const flags = ['--enable', '--port', '9010', '--secret', "it's #1"]
    expect((await desk.run('gateway', 'setup', ...flags, '--yes')).code).toBe(0)
    const config = desk.read('config.yaml')
    for (const text of [
      '# of mine',
      '# kept',
      '# the gateway',
      '# for now',
      'fixed: {',
      'slack: {',
    ])
      expect(config).toContain(text.trim())
    expect(config).not.toContain('#1')
    expect(desk.read('.env')).toBe(
      "# keys\nOTHER='a # b'\nWEBHOOK_SECRET=\"it's #1\"\nWEBHOOK_PORT=9010\nLAST=z",
    )
    // Gateway and commands agree on what was answered, whatever stood in .env.
    expect(await optionsOf(desk)).toMatchObject({ port: 9010, secret: "it's #1" })
    expect(await urlOf(desk)).toBe('http://127.0.0.1:9010/webhooks/a')
  }),
)

proves(
  'subscriptions/setup-writes',
  atDesk(async (desk) => {
    // A file that cannot be understood is left as it is, and so is the other one.
    for (const text of ['a: [', 'platforms: 7', 'platforms: {webhook: [1]}']) {
      desk.write('config.yaml', text)
      const { code } = await desk.run('gateway', 'setup', '--enable', '--secret', 's', '--yes')
      expect([text, code, desk.read('config.yaml'), desk.has('.env')]).toEqual([
        text,
        1,
        text,
        false,
      ])
    }
    desk.write('config.yaml', '# nothing yet\n')
    const env = { [gatewaySettings.port.variable]: '1' }
    const { code, stderr } = await desk.runIn(
      { env },
      'gateway',
      'setup',
      '--enable',
      '--port',
      '2',
      '--yes',
    )
    expect([code, stderr]).toEqual([0, expect.stringContaining('WEBHOOK_PORT')])
    expect(desk.read('config.yaml')).toContain('# nothing yet')
    expect(await optionsOf(desk)).toMatchObject({ port: 2 })
  }, null),
)
