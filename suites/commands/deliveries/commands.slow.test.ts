// Agent commands outside the gateway's process: what they leave behind, and what they receive.

import { createServer, type Socket } from 'node:net'
import { senders } from '../../../spec/gateway/deliveries.ts'
import { gatewaySettings } from '../../../spec/gateway/subscriptions.ts'
import {
  provesCli,
  enabled,
  postTo,
  runGateway,
  startReceiving,
} from '../../support/command-line.ts'
import { SECRET } from '../../judge/gateway-subject.ts'
import { listening } from '../../support/for-test.ts'
import { createArrivals } from '../../support/platforms.ts'
import { start } from '../../support/spawned.ts'
import { expect } from '../../judge/expect.ts'

provesCli('deliveries/agent-left', async (cli) => {
  const opened = createArrivals<Socket>()
  const { port } = await listening(createServer(opened.take))
  // Its child process leaves its group, keeps its output open, and ends only with its connection.
  const stays = `require('net').connect(${port}).resume().on('close', () => process.exit())`
  const leaves = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(stays)}], { detached: true, stdio: 'inherit' }).unref()`
  await cli.run('webhook', 'subscribe', 'ci', '--secret', SECRET)
  const agent = `--agent-command=${JSON.stringify([process.execPath, '-e', leaves])}`
  const own = ['--config-dir', cli.dir, '--port', '0', '--json', '--drain', '0', agent]
  const command = start('gateway', 'run', ...own)
  const { url } = JSON.parse(await command.says(/\n/)) as { url: string }
  expect(await postTo(url, 'ci', SECRET)).toBe(202)
  const [left] = await opened.next(1)
  command.process.kill('SIGTERM')
  expect((await command.ends).code).toBe(0)
  left?.destroy()
})

provesCli('deliveries/agent-environment', async (cli) => {
  const tokens = Object.values(senders).map(({ tokenVariable }) => tokenVariable)
  const names = [
    gatewaySettings.secret.variable,
    'FLOWDOUBLE_CONTROL_TOKEN',
    'PGPASSWORD',
    ...tokens,
  ]
  const env = {
    ...Object.fromEntries(names.map((name) => [name, 'hidden'])),
    FLOWDOUBLE_STORE: cli.path('hidden.sqlite'),
    SLACK_HOME_CHANNEL: 'C1',
    KEPT: 'kept',
  }
  const script = `console.log(JSON.stringify(process.env))`
  const agent = `--agent-command=${JSON.stringify([process.execPath, '-e', script])}`
  await cli.run('webhook', 'subscribe', 'ci', '--secret', SECRET, '--deliver', 'slack')
  for (const send of [false, true]) {
    const { url, got, arrival } = await startReceiving({ status: 200, body: '{"ok": true}' })
    cli.write('config.yaml', `${enabled()}  slack: {base_url: "${url}"}\n`)
    const way = send ? ['--send'] : ['--deliver-url', url]
    const running = await runGateway(cli, { env }, agent, ...way)
    expect(await postTo(running.url, 'ci', SECRET)).toBe(202)
    await arrival
    await running.stop()
    const { text } = JSON.parse(got[0]!.body.toString()) as { text: string }
    expect(text).toContain('"KEPT":"kept"')
    expect(text).not.toContain('hidden')
  }
})
