// What a set-up lacks: static routes that commands know, warnings of subscribe and of the start of a gateway.

import { chmodSync } from 'node:fs'
import { senders } from '../../../spec/gateway/deliveries.ts'
import {
  type CommandContext,
  type CommandLine,
  enabled,
  expectEnd,
  provesCli,
  startOptions,
  startReceiving,
  subscriptionsName,
} from '../../support/command-line.ts'
import { expect } from '../../judge/expect.ts'

const statics = enabled(
  'routes: {fixed: {secret: secret-of-fixed, prompt: hi}, "a.B": {secret: s}, both: {secret: s}}',
)

provesCli(
  'subscriptions/list-static',
  async (cli) => {
    cli.write(subscriptionsName, '{"both": {"secret": "other"}, "own": {"secret": "of-own"}}')
    const listed = (await cli.run('webhook', 'list', '--json')).json()
    const found = listed.map((one: { name: string; is_static?: true }) => [one.name, one.is_static])
    expect(found).toEqual([
      ['both', undefined],
      ['own', undefined],
      ['fixed', true],
      ['a.B', true],
      ['both', true],
    ])
    expect(listed[2]).toMatchObject({ secret: 'secret-of-fixed', prompt: 'hi', deliver: 'log' })
    const { stdout } = await cli.run('webhook', 'list')
    expect(stdout).toMatch(/2 webhook subscription[^]*3 static route[^]*secret-of-fixed/)
    expectEnd(await cli.run('webhook', 'list', '--no-secrets'), {
      code: 0,
      stdout: /fixed/,
      hides: 'secret-of',
    })
    const { port, got } = await startReceiving({ status: 202, body: '{"status": "accepted"}' })
    await cli.run('gateway', 'setup', '--port', String(port), '--yes')
    for (const name of ['fixed', 'a.B'])
      expectEnd(await cli.run('webhook', 'test', name), { code: 0, stderr: '' })
    expect(got.map(({ path }) => path)).toEqual(['/webhooks/fixed', '/webhooks/a.B'])
    // What is in config.yaml is removed there.
    expectEnd(await cli.run('webhook', 'remove', 'fixed'), {
      code: 1,
      stderr: /"fixed" is a static route: change config\.yaml/,
    })
  },
  statics,
)

provesCli('subscriptions/chat-warning', async (cli) => {
  const subscribe = (context: CommandContext, ...argv: readonly string[]) =>
    cli.runIn(context, 'webhook', 'subscribe', 'ci', ...argv)
  const telegram = await subscribe({}, '--deliver', 'telegram')
  expectEnd(telegram, {
    code: 0,
    stderr: /^Warning: the route ci .*--deliver-chat-id.*TELEGRAM_HOME_CHANNEL.*\n$/,
  })
  expectEnd(await subscribe({}, '--deliver', 'signal', '--json'), {
    code: 0,
    stdout: /^\{.*\}\n$/,
    stderr: /platforms\.signal\.home_channel/,
  })
  expect((await subscribe({}, '--deliver', 'origin')).stderr).toMatch(/--origin/)
  const quiet: [CommandContext, ...string[]][] = [
    [{}, '--deliver', 'telegram', '--deliver-chat-id', '42'],
    [{}, '--deliver', 'log'],
    [{}, '--deliver', 'github_comment'],
    [{}, '--deliver', 'origin', '--origin', 'slack:C1'],
    [{ env: { TELEGRAM_HOME_CHANNEL: '42' } }, '--deliver', 'telegram'],
  ]
  for (const [context, ...argv] of quiet)
    expectEnd(await subscribe(context, ...argv), { code: 0, stderr: '' })
})

provesCli('subscriptions/send-credential', async (cli) => {
  const ended = await cli.run('gateway', 'run', '--port', '0', '--send')
  expectEnd(ended, { code: 1, stdout: '', stderr: /^--send needs a credential/ })
  for (const { tokenVariable } of Object.values(senders))
    expect(ended.stderr).toContain(tokenVariable)
  expect(ended.stderr).toContain(cli.path('.env'))
  cli.write('.env', 'SLACK_BOT_TOKEN=xoxb-hidden')
  const started = await startOptions({}, '--config-dir', cli.dir, '--send')
  expectEnd(started, { code: 0, stdout: /sent by slack/, hides: 'hidden' })
})

/** The warnings of a start, without their times. */
async function warnings(
  cli: CommandLine,
  context: CommandContext = {},
  ...argv: readonly string[]
): Promise<readonly string[]> {
  const { stderr } = await startOptions(context, '--config-dir', cli.dir, ...argv)
  return stderr.split('\n').flatMap((line) => /warning: (.*)/.exec(line)?.[1] ?? [])
}

/** Makes the files such as the commands write them. */
function narrow(cli: CommandLine): void {
  for (const name of ['config.yaml', '.env', subscriptionsName])
    if (cli.has(name)) chmodSync(cli.path(name), 0o600)
}

provesCli(
  'subscriptions/start-deliveries',
  async (cli) => {
    const to = (deliver: string, more = {}) => ({ secret: 's', deliver, ...more })
    const chat = { deliver_extra: { chat_id: '{chat}' } }
    cli.write(
      subscriptionsName,
      JSON.stringify({
        fine: to('telegram', chat),
        chatless: to('telegram'),
        nowhere: to('nowhere'),
        capital: to('Telegram', { ...chat, deliver_only: true }),
        signal: to('signal', chat),
        unplaced: to('origin'),
        comment: to('github_comment'),
        log: { secret: 's' },
        hidden: { deliver: 'nowhere' },
      }),
    )
    narrow(cli)
    const env = { TELEGRAM_BOT_TOKEN: 'of-telegram' }
    const plain = [
      /^The route "chatless" .*no chat.*TELEGRAM_HOME_CHANNEL/,
      /^The route "nowhere" has the unknown target "nowhere"/,
    ]
    const static_ = /^The route "fixed" delivers to slack, but names no chat/
    const like = (all: readonly RegExp[]) => all.map((one) => expect.stringMatching(one) as unknown)
    expect(await warnings(cli, { env })).toEqual(like([...plain, static_]))
    expect(await warnings(cli, { env }, '--send')).toEqual(
      like([
        ...plain,
        /^The route "signal" .*--send cannot deliver.*--deliver-url/,
        /^The route "unplaced" has the target origin.*--origin/,
        /^The route "comment" .*GITHUB_TOKEN is not set.*platforms\.github_comment\.token/,
        static_,
      ]),
    )
    const homes = { TELEGRAM_HOME_CHANNEL: '1', SLACK_HOME_CHANNEL: '2' }
    const connected = await warnings(cli, { env: homes }, '--connected', 'telegram')
    expect(connected).toEqual(
      like([
        plain[1]!,
        /^The route "signal" .*--connected does not list/,
        /^The route "fixed" .*--connected does not list/,
      ]),
    )
    // For programs, and quietly.
    const flags = ['--json', '--quiet', '--json-log']
    const quiet = await startOptions({ env }, '--config-dir', cli.dir, ...flags)
    const lines = quiet.stderr.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({
        level: 'warning',
        message: expect.stringContaining('TELEGRAM_HOME_CHANNEL'),
      }),
    )
  },
  enabled('routes: {fixed: {secret: s, deliver: slack}}'),
)

provesCli('subscriptions/start-files', async (cli) => {
  if (process.platform === 'win32') return
  await cli.run('gateway', 'setup', '--secret', 'secret-of-all', '--yes')
  await cli.run('webhook', 'subscribe', 'ci')
  const modes = async (name: string, mode: number) => {
    chmodSync(cli.path(name), mode)
    const found = await warnings(cli)
    chmodSync(cli.path(name), name === '' ? 0o755 : 0o600)
    return found
  }
  expect(await warnings(cli)).toEqual([])
  for (const name of [subscriptionsName, '.env']) {
    const path = cli.path(name)
    const says = (can: string, mode: number) =>
      `Everybody on this machine can ${can} ${path} (mode ${mode}). Mend: chmod 600 ${path}`
    expect(await modes(name, 0o644)).toEqual([says('read', 644)])
    expect(await modes(name, 0o606)).toEqual([says('change', 606)])
    for (const fine of [0o660, 0o400]) expect(await modes(name, fine)).toEqual([])
  }
  // config.yaml may be read as long as it contains no secret.
  expect(await modes('config.yaml', 0o644)).toEqual([])
  expect(await modes('config.yaml', 0o646)).toEqual([
    expect.stringMatching(/can change .*config\.yaml \(mode 646\)\. Mend: chmod o-w /),
  ])
  for (const config of [
    enabled('secret: secret-of-all'),
    enabled('routes: {a: {secret: secret-of-a}}'),
    `${enabled()}  slack: {token: xoxb-secret}\n`,
  ]) {
    cli.write('config.yaml', config)
    expect(await modes('config.yaml', 0o644)).toEqual([
      expect.stringMatching(/can read .*config\.yaml \(mode 644\)\. Mend: chmod 600 /),
    ])
  }
  chmodSync(cli.path('config.yaml'), 0o600)
  expect(await modes('', 0o777)).toEqual([expect.stringMatching(/can change .*chmod o-w /)])
  expect(await modes('', 0o1777)).toEqual([])
})

provesCli('subscriptions/start-public', async (cli) => {
  for (const host of ['0.0.0.0', '::'])
    expect(await warnings(cli, {}, '--host', host)).toEqual([
      expect.stringContaining(`listens on ${host} without TLS`),
    ])
  for (const argv of [
    ['--host', 'localhost'],
    ['--host', '0.0.0.0', '--webhook-base-url', 'https://hooks.example'],
  ])
    expect(await warnings(cli, {}, ...argv)).toEqual([])
  const plain = ['--host', '0.0.0.0', '--webhook-base-url', 'http://hooks.example']
  expect(await warnings(cli, {}, ...plain)).toHaveLength(1)
})
