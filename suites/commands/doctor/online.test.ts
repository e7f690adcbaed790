// The doctor of a gateway with --online: what it asks of platforms and of the base URL, and what it says of their answers.

import { createServer, type IncomingHttpHeaders } from 'node:http'
import { chmodSync } from 'node:fs'
import { probes } from '../../../spec/gateway/doctor.ts'
import { senders } from '../../../spec/gateway/deliveries.ts'
import { limits } from '../../../spec/limits.ts'
import {
  type CommandLine,
  enabled,
  expectEnd,
  provesCli,
  runGateway,
  subscriptionsName,
} from '../../support/command-line.ts'
import { expect } from '../../judge/expect.ts'
import { listening } from '../../support/for-test.ts'
import { found } from './findings.ts'

type Asked = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/** A platform that answers each call with this status and text, with its clock ahead by seconds. */
async function startPlatform(status: number, text: string, aheadSeconds = 0) {
  const asked: Asked[] = []
  const server = createServer(({ method = '', url: path = '', headers }, response) => {
    asked.push({ method, path, headers })
    const date = new Date(Date.now() + aheadSeconds * 1000).toUTCString()
    response.writeHead(status, { Date: date, 'Content-Type': 'application/json' }).end(text)
  })
  return { ...(await listening(server)), asked }
}

/** Writes a credential for each of these targets, whose platform is at this address. */
function connect(
  cli: CommandLine,
  url: string,
  targets: readonly string[] = Object.keys(senders),
): void {
  const blocks = targets.map(
    (target) => `  ${target}: {token: token-of-${target}, base_url: "${url}"}\n`,
  )
  cli.write('config.yaml', enabled() + blocks.join(''))
  chmodSync(cli.path('config.yaml'), 0o600)
}

provesCli('doctor/platforms', async (cli) => {
  const platform = await startPlatform(200, '{"ok": true}')
  connect(cli, platform.url)
  expect(await found(cli, 'platforms', '--online')).toEqual(
    Object.keys(senders).map((target) => `ok: ${target} accepts its credential`),
  )
  const calls = platform.asked.map(({ method, path, headers }) => [
    method,
    path,
    headers.authorization,
  ])
  expect(calls.toSorted((a, b) => `${a[1]}`.localeCompare(`${b[1]}`))).toEqual([
    ['POST', probes.slack.path, 'Bearer token-of-slack'],
    ['GET', probes.discord.path, 'Bot token-of-discord'],
    ['GET', '/bottoken-of-telegram/getMe', undefined],
    ['GET', probes.github_comment.path, 'Bearer token-of-github_comment'],
  ])
  // Some answer 200 although they refuse.
  for (const [status, text] of [
    [200, '{"ok": false, "error": "invalid_auth"}'],
    [401, '{}'],
    [302, ''],
  ] as const) {
    connect(cli, (await startPlatform(status, text)).url, ['slack'])
    expect(await found(cli, 'platforms', '--online')).toEqual([
      `problem: slack does not accept its credential (status ${status})`,
    ])
  }
  const { url, close } = await startPlatform(200, '')
  await close()
  connect(cli, url, ['telegram'])
  expect(await found(cli, 'platforms', '--online')).toEqual([
    `problem: telegram cannot be reached at ${url} (network error ECONNREFUSED)`,
  ])
  connect(cli, url, [])
  expect(await found(cli, 'platforms', '--online')).toEqual([
    'skipped: No platform has a credential',
  ])
})

provesCli('doctor/offline', async (cli) => {
  const platform = await startPlatform(200, '{"ok": true}')
  connect(cli, platform.url)
  const base = ['--webhook-base-url', platform.url]
  for (const check of ['platforms', 'public', 'clock'])
    expect(await found(cli, check, ...base)).toEqual([expect.stringMatching(/^skipped: Not asked/)])
  expect(platform.asked).toEqual([])
})

provesCli('doctor/public', async (cli) => {
  const gateway = await runGateway(cli)
  const running = ['--online', '--port', new URL(gateway.url).port]
  const at = (url: string) => found(cli, 'public', ...running, '--webhook-base-url', url)
  expect(await at(gateway.url)).toEqual([`ok: ${gateway.url} leads to a gateway`])
  expect(await at(`${gateway.url}/in`)).toEqual([
    `problem: ${gateway.url}/in/health does not lead to the gateway (another answer)`,
  ])
  const other = await startPlatform(200, '{"status": "ok"}')
  expect(await at(other.url)).toEqual([expect.stringContaining('(another answer)')])
  await other.close()
  expect(await at(other.url)).toEqual([expect.stringContaining('ECONNREFUSED')])
  expect(await found(cli, 'public', ...running)).toEqual(['skipped: There is no base URL'])
  await gateway.stop()
  expect(await at(gateway.url)).toEqual(['skipped: The gateway does not run'])
})

provesCli('doctor/clock', async (cli) => {
  const most = limits.doctorClock.value
  for (const [ahead, says] of [
    [0, /^ok/],
    [most - 5, /^ok/],
    [5 - most, /^ok/],
    [most + 5, /^problem: The time of day differs by 3\d seconds/],
    [-3600, /^problem: The time of day differs by 36\d\d|3599 seconds/],
  ] as const) {
    connect(cli, (await startPlatform(401, '', ahead)).url, ['telegram'])
    const clock = await found(cli, 'clock', '--online')
    expect([ahead, clock]).toEqual([ahead, [expect.stringMatching(says)]])
  }
  // The platform that agrees best decides: another one may be wrong itself.
  const [right, wrong] = [await startPlatform(200, ''), await startPlatform(200, '', 3600)]
  const both = ['telegram', 'slack'].map(
    (target, at) => `  ${target}: {token: t, base_url: "${[right, wrong][at]?.url}"}\n`,
  )
  cli.write('config.yaml', enabled() + both.join(''))
  expect(await found(cli, 'clock', '--online')).toEqual([expect.stringMatching(/^ok/)])
  connect(cli, right.url, [])
  expect(await found(cli, 'clock', '--online')).toEqual([expect.stringMatching(/^skipped/)])
})

provesCli('doctor/hides', async (cli) => {
  const echo = '{"ok": false, "description": "token-of-telegram", "error": "token-of-slack"}'
  connect(cli, (await startPlatform(401, echo)).url)
  const secret = { secret: 'secret-of-ci', deliver: 'slack', deliver_only: true }
  const old_secrets = [{ secret: 'secret-of-old', valid_until: 'x' }]
  const routes = { ci: { ...secret, old_secrets }, off: { ...secret, enabled: false } }
  cli.write(subscriptionsName, JSON.stringify(routes))
  cli.write('.env', 'WEBHOOK_SECRET=secret-of-all\n')
  for (const argv of [[], ['--json']])
    expectEnd(await cli.run('gateway', 'doctor', '--online', ...argv), {
      code: 1,
      stdout: /does not accept its credential/,
      hides: /secret-of|token-of/,
    })
})
