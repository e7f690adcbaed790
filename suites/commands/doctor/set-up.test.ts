// The doctor of a gateway on wrong set-ups, each with one thing wrong, without asking anybody elsewhere.

import { createServer } from 'node:http'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import files from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { vi } from 'vitest'
import { doctorChecks, doctorReport } from '../../../spec/gateway/doctor.ts'
import { limits } from '../../../spec/limits.ts'
import {
  type CommandContext,
  type CommandLine,
  enabled,
  expectEnd,
  provesCli,
  runGateway,
  subscriptionsName,
} from '../../support/command-line.ts'
import { expect } from '../../judge/expect.ts'
import { listening } from '../../support/for-test.ts'

const isReport = new Ajv2020({ strict: true }).compile(doctorReport)

type Finding = {
  readonly check: string
  readonly status: string
  readonly what: string
  readonly why: string | null
  readonly mend: string | null
}

/** What the doctor finds, by check, as JSON. */
async function examine(cli: CommandLine, context: CommandContext, ...argv: readonly string[]) {
  const { code, stdout } = await cli.runIn(context, 'gateway', 'doctor', '--json', ...argv)
  const report = JSON.parse(stdout) as { readonly ok: boolean; readonly findings: Finding[] }
  expect([isReport(report), isReport.errors]).toEqual([true, null])
  expect({ code, ok: report.ok }).toEqual({ code: report.ok ? 0 : 1, ok: code === 0 })
  const isWrong = report.findings.some(({ status }) => status === 'problem')
  expect(report.ok).toBe(!isWrong)
  return report.findings
}

/** What is wrong with a check, as one text for each finding. */
async function problemsOf(
  cli: CommandLine,
  check: keyof typeof doctorChecks,
  context: CommandContext = {},
  ...argv: readonly string[]
): Promise<readonly string[]> {
  const found = await examine(cli, context, ...argv)
  return found
    .filter((one) => one.check === check && one.status === 'problem')
    .map(({ what, why, mend }) => `${what}. ${why} ${mend}`)
}

/** Subscriptions as the commands write them. */
function subscriptions(cli: CommandLine, routes: unknown): void {
  cli.write(subscriptionsName, typeof routes === 'string' ? routes : JSON.stringify(routes))
  chmodSync(cli.path(subscriptionsName), 0o600)
}

provesCli(['doctor/findings', 'doctor/exit-codes'], async (cli) => {
  await cli.run('webhook', 'subscribe', 'ci', '--secret', 'secret-of-ci')
  const base = ['--webhook-base-url', 'https://hooks.example']
  const fine = await cli.run('gateway', 'doctor', ...base)
  expectEnd(fine, { code: 0, stdout: /^ok +configuration .*\n[^]*\nNo problem found\.\n$/ })
  for (const check of Object.keys(doctorChecks)) expect(fine.stdout).toContain(check)
  const statuses = (await examine(cli, {}, ...base)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set(['ok', 'note', 'skipped']))
  subscriptions(cli, { ci: { secret: 's', deliver: 'slack' }, two: { secret: '' } })
  expectEnd(await cli.run('gateway', 'doctor', ...base), {
    code: 1,
    stdout: /problem  deliveries .*"ci".*\n +Why:  .*\n +Mend: .*\n[^]*2 problems found\.\n$/,
  })
  for (const argv of [['more'], ['--webhook-base-url', 'x'], ['--nothing']])
    expect((await cli.run('gateway', 'doctor', ...argv)).code).toBe(2)
})

provesCli(
  'doctor/configuration',
  async (cli) => {
    expect(await problemsOf(cli, 'configuration')).toEqual([
      `Webhooks are not enabled in ${cli.dir}. The gateway does not start, and no command manages its routes. ` +
        `flowdouble gateway setup --enable --yes --config-dir ${cli.dir}`,
    ])
    expect(await problemsOf(cli, 'configuration', { env: { WEBHOOK_ENABLED: '1' } })).toEqual([])
    for (const [config, says] of [
      ['a: [', /config\.yaml is not valid YAML/],
      [enabled('port: many'), /extra\.port of config\.yaml must be a port/],
      [enabled('ports: 1'), /extra\.ports of config\.yaml is not a setting/],
    ] as const) {
      cli.write('config.yaml', config)
      expect(await problemsOf(cli, 'configuration')).toEqual([expect.stringMatching(says)])
    }
    cli.write('config.yaml', enabled())
    cli.write('.env', 'no line')
    expect(await problemsOf(cli, 'configuration')).toEqual([
      expect.stringMatching(/Line 1 of \.env/),
    ])
  },
  null,
)

provesCli('doctor/files', async (cli) => {
  if (process.platform === 'win32') return
  subscriptions(cli, { ci: { secret: 's' } })
  expect(await problemsOf(cli, 'files')).toEqual([])
  chmodSync(cli.path(subscriptionsName), 0o606)
  expect(await problemsOf(cli, 'files')).toEqual([
    expect.stringMatching(/^Everybody .* can change .* chmod 600 \//),
  ])
  for (const [text, says] of [
    ['[]', /does not contain a JSON object/],
    ['{', /does not contain a JSON object/],
    ['{"ci": 5}', /The member "ci" of .* is not a route/],
  ] as const) {
    subscriptions(cli, text)
    expect(await problemsOf(cli, 'files')).toEqual([expect.stringMatching(says)])
  }
  rmSync(cli.path(subscriptionsName))
  mkdirSync(cli.path(subscriptionsName), { mode: 0o700 })
  expect(await problemsOf(cli, 'files')).toEqual([
    expect.stringMatching(/webhook_subscriptions\.json is not a regular file|EISDIR/),
  ])
  rmSync(cli.path(subscriptionsName), { recursive: true })
  expect(await problemsOf(cli, 'files')).toEqual([])
  const denied = vi.spyOn(files, 'access').mockRejectedValue(new Error('EACCES'))
  try {
    expect(await problemsOf(cli, 'files')).toEqual([
      expect.stringMatching(/^This user cannot write to /),
    ])
  } finally {
    denied.mockRestore()
  }
})

provesCli('doctor/routes', async (cli) => {
  subscriptions(cli, {
    fine: { secret: 's' },
    fixed: { secret: 's' },
    open: { secret: '' },
    off: { secret: 's', enabled: false },
    timeless: { secret: 's', old_secrets: [{ secret: 'o', valid_until: 'soon' }] },
  })
  cli.write(
    'config.yaml',
    enabled('routes: {fixed: {secret: s}, bad: {deliver_only: true, secret: s}}'),
  )
  chmodSync(cli.path('config.yaml'), 0o600)
  expect(await problemsOf(cli, 'routes')).toEqual([
    expect.stringMatching(/^The route "fixed" is hidden by a static route.*webhook remove fixed$/),
    expect.stringMatching(/^The route "open" has no secret\./),
    expect.stringMatching(/^The route "off" is disabled\./),
    expect.stringMatching(/^The route "timeless" has an old secret without a valid time\./),
    expect.stringMatching(/^The static route "bad" has deliver_only.* does not start/),
  ])
})

provesCli('doctor/deliveries', async (cli) => {
  const chat = { deliver_extra: { chat_id: '42' } }
  subscriptions(cli, {
    telegram: { secret: 's', deliver: 'telegram', ...chat },
    signal: { secret: 's', deliver: 'signal', ...chat },
    chatless: { secret: 's', deliver: 'slack' },
    log: { secret: 's' },
  })
  const chatless = expect.stringMatching(/^The route "chatless" .* SLACK_HOME_CHANNEL/) as unknown
  const signal = expect.stringMatching(/^The route "signal" .* --deliver-url/) as unknown
  const telegram = expect.stringMatching(/^The route "telegram" .* TELEGRAM_BOT_TOKEN/) as unknown
  expect(await problemsOf(cli, 'deliveries')).toEqual([telegram, signal, chatless])
  cli.write('.env', 'TELEGRAM_BOT_TOKEN=of-telegram\n')
  expect(await problemsOf(cli, 'deliveries')).toEqual([signal, chatless])
  const url = ['--deliver-url', 'http://127.0.0.1:9/']
  expect(await problemsOf(cli, 'deliveries', {}, ...url)).toEqual([chatless])
  cli.write('.env', 'TELEGRAM_BOT_TOKEN="of telegram"\n')
  expect(await problemsOf(cli, 'deliveries')).toEqual([
    expect.stringMatching(/^TELEGRAM_BOT_TOKEN is not a valid credential/),
  ])
})

provesCli('doctor/base-url', async (cli) => {
  const wrong: [string, ...RegExp[]][] = [
    ['http://hooks.example', /^The base URL begins with http:\/\//],
    [
      'https://hooks.example/webhooks',
      /^The base URL ends in \/webhooks\. .* to https:\/\/hooks\.example\.$/,
    ],
    [
      'https://hooks.example/in/webhooks/ci',
      /ends in \/webhooks\/ci\. .* to https:\/\/hooks\.example\/in\.$/,
    ],
    ['http://192.168.1.4/webhooks', /ends in/, /names 192\.168\.1\.4, which only/],
  ]
  for (const [url, ...says] of wrong) {
    const found = await problemsOf(cli, 'base-url', {}, '--webhook-base-url', url)
    expect([url, found]).toEqual([url, says.map((one) => expect.stringMatching(one) as unknown)])
  }
  const hosts = [
    'localhost',
    '10.1.2.3',
    '172.16.0.1',
    '169.254.1.1',
    '100.64.0.1',
    'server',
    'a.local',
    'a.internal',
    '[::1]',
    '[fd00::1]',
    '[fe80::1]',
    '127.0.0.1',
  ]
  for (const host of hosts)
    expect(await problemsOf(cli, 'base-url', {}, '--webhook-base-url', `https://${host}`)).toEqual([
      expect.stringContaining(`The base URL names ${host}, which only`),
    ])
  for (const host of [
    'hooks.example',
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '[2001:db8::1]',
    'local.example',
    'hooks.example/in',
  ])
    expect(await problemsOf(cli, 'base-url', {}, '--webhook-base-url', `https://${host}`)).toEqual(
      [],
    )
  // Without one its addresses are for this machine; a public host lacks TLS as well.
  const noted = (await examine(cli, {})).find(({ check }) => check === 'base-url')
  expect(noted).toMatchObject({ status: 'note', why: expect.stringContaining('this machine') })
  expect(await problemsOf(cli, 'base-url', {}, '--host', '0.0.0.0', '--port', '1')).toEqual([
    expect.stringMatching(/^The gateway listens on 0\.0\.0\.0 without TLS/),
  ])
})

provesCli('doctor/address', async (cli) => {
  const address = async (port: number) => {
    const found = await examine(cli, {}, '--port', String(port))
    return found.find(({ check }) => check === 'address')
  }
  const gateway = await runGateway(cli)
  const port = Number(new URL(gateway.url).port)
  expect(await address(port)).toMatchObject({
    status: 'ok',
    what: expect.stringContaining(gateway.url),
  })
  await gateway.stop()
  expect(await address(port)).toMatchObject({ status: 'note', mend: 'flowdouble gateway run' })
  const server = createServer((_, response) => response.end('{"status": "ok"}'))
  const other = await listening(server)
  expect(await address(other.port)).toMatchObject({
    status: 'problem',
    what: expect.stringContaining('Another program answers'),
  })
})

provesCli('doctor/disk', async (cli) => {
  expect(await problemsOf(cli, 'disk')).toEqual([])
  const least = limits.doctorDisk.value
  for (const [free, count] of [
    [least, 0],
    [least - 2 ** 20, 1],
    [0, 1],
  ] as const) {
    const full = vi
      .spyOn(files, 'statfs')
      .mockResolvedValue({ bavail: free / 4096, bsize: 4096 } as never)
    try {
      expect([free, (await problemsOf(cli, 'disk')).length]).toEqual([free, count])
    } finally {
      full.mockRestore()
    }
  }
})
