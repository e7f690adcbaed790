// A gateway whose disk is full for a while: a limit of the system on the size of its files, which is lifted later.

import { execFileSync, spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { test } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { sendTo, SECRET, signed } from '../../judge/gateway-subject.ts'
import { commandLineAt, enabled } from '../../support/command-line.ts'
import { newFiles } from '../../support/files.ts'
import { listening } from '../../support/for-test.ts'
import { startLimited } from '../../support/spawned.ts'

/** Whether this system can change the limit of a process that runs. */
const hasLimits = spawnSync('prlimit', ['--version']).status === 0

/** The largest file: enough for the tables, and for some posts. */
const MAX_FILE = 'ulimit -S -f 2000'
const TEXT = 'x'.repeat(20_000)

test.skipIf(!hasLimits)(
  'store/failure A disk that is full for a while loses nothing that was accepted, and needs no restart',
  async () => {
    const { dir } = newFiles({ 'config.yaml': enabled() })
    const cli = commandLineAt(dir)
    const chat = ['--deliver', 'telegram', '--deliver-chat-id', '42']
    await cli.run('webhook', 'subscribe', 'ci', '--secret', SECRET, '--prompt', 'x', ...chat)
    const arrived: string[] = []
    let arrive = (): void => undefined
    const target = await listening(
      createServer((request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.on('end', () => {
          arrived.push(JSON.parse(Buffer.concat(chunks).toString()).delivery_id)
          response.end('{}')
          arrive()
        })
      }),
    )
    const flags = ['--config-dir', dir, '--port', '0', '--json', '--deliver-url', target.url]
    const command = startLimited(MAX_FILE, 'gateway', 'run', ...flags)
    const { url, pid } = JSON.parse(await command.says(/\n/)) as { url: string; pid: number }
    const send = sendTo(url)
    const post = async (id: string): Promise<number> => {
      const body = JSON.stringify({ text: TEXT })
      const headers = { ...signed(body), 'X-Request-ID': id }
      return (await send('POST', '/webhooks/ci', body, headers)).status
    }
    const health = async (): Promise<string> => (await send('GET', '/health')).json().status
    const accepted: string[] = []
    const refused: string[] = []
    for (let at = 0; refused.length < 5; at++) {
      const status = await post(`${at}`)
      expect([202, 503]).toContain(status)
      ;(status === 202 ? accepted : refused).push(`${at}`)
    }
    expect(accepted.length).toBeGreaterThan(3)
    expect(await health()).toBe('degraded')
    execFileSync('prlimit', ['--pid', `${pid}`, '--fsize=unlimited'])
    await command.logs(/The store works again/)
    // Their ids are new, unless a post was written and the gateway did not learn of it.
    for (const id of refused) expect([200, 202]).toContain(await post(id))
    expect(await health()).toBe('ok')
    const all = new Set([...accepted, ...refused])
    await new Promise<void>((resolve) => {
      arrive = () => new Set(arrived).size === all.size && resolve()
      arrive()
    })
    expect(arrived.toSorted()).toEqual([...all].toSorted())
    await command.stop()
  },
)
