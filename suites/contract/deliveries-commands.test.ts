// Agent commands beside the process of the gateway: what they leave behind, and what they are told.

import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect } from 'vitest'
import { atDesk } from '../desk.ts'
import { SECRET, signed } from '../gateway-subject.ts'
import { createArrivals } from '../platforms.ts'
import { proves } from '../proves.ts'
import { start } from '../spawned.ts'

proves(
  'deliveries/agent-left',
  atDesk(async (desk) => {
    const opened = createArrivals<Socket>()
    const server = createServer((socket) => opened.take(socket.on('error', () => {})))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    // What it starts leaves its group, keeps its output open, and ends with its connection only.
    const stays = `require('net').connect(${port}).resume().on('close', () => process.exit())`
    const leaves = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(stays)}], { detached: true, stdio: 'inherit' }).unref()`
    await desk.run('webhook', 'subscribe', 'ci', '--secret', SECRET)
    const agent = `--agent-command=${JSON.stringify([process.execPath, '-e', leaves])}`
    const own = ['--config-dir', desk.dir, '--port', '0', '--json', agent]
    const command = start('gateway', 'run', ...own)
    const { url } = JSON.parse(await command.says(/\n/)) as { url: string }
    const post = { method: 'POST', headers: signed('{}'), body: '{}' }
    expect((await fetch(`${url}/webhooks/ci`, post)).status).toBe(202)
    const [left] = await opened.next(1)
    command.process.kill('SIGTERM')
    expect((await command.ends).code).toBe(0)
    left?.destroy()
    server.close()
  }),
)
