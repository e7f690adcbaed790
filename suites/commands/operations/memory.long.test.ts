// The memory of a gateway to which hundreds of clients send posts that they do not finish.

import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { commandLineAt, enabled, postTo } from '../../support/command-line.ts'
import { newFiles } from '../../support/files.ts'
import { type HalfSent, partOfPost, sendHalf } from '../../support/gateway/half-sent.ts'
import { start } from '../../support/spawned.ts'

/** What the process takes at most, in MB. */
const MOST_MB = 200
const CLIENTS = 600

/** The most memory that a process has held so far, in MB; undefined where the system does not say. */
function peakMb(pid: number): number | undefined {
  try {
    const [, kib] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kib) / 1000
  } catch {
    return undefined
  }
}

/** 900,000 bytes of a body in chunks of one byte: each of them comes by itself. */
const byteByByte =
  'POST /webhooks/ci HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n' +
  '1\r\nx\r\n'.repeat(900_000)

test.each([
  ['at once', partOfPost('ci', 1_000_000, 900_000), CLIENTS],
  ['byte by byte', byteByByte, CLIENTS / 100],
])(
  'operations/unfinished-bodies Hundreds of half-sent posts, %s, take little memory, and hold nobody up',
  async (_, half, clients) => {
    const { dir } = newFiles({ 'config.yaml': enabled() })
    await commandLineAt(dir).run('webhook', 'subscribe', 'ci', '--secret', 'secret-of-ci')
    const command = start('gateway', 'run', '--config-dir', dir, '--port', '0', '--json')
    const { url, pid } = JSON.parse(await command.says(/\n/)) as { url: string; pid: number }
    const held: HalfSent[] = []
    const slowestMs = { idle: 0, busy: 0 }
    const post = async (): Promise<number> => {
      const before = performance.now()
      expect(await postTo(url, 'ci', 'secret-of-ci')).toBe(202)
      return performance.now() - before
    }
    for (let at = 0; at < 5; at++) slowestMs.idle = Math.max(slowestMs.idle, await post())
    for (let at = 0; at < clients; at++) {
      held.push(await sendHalf(url, half))
      if (at % 50 === 0) slowestMs.busy = Math.max(slowestMs.busy, await post())
    }
    await post()
    expect(peakMb(pid) ?? 0).toBeLessThan(MOST_MB)
    // Seconds would mean that it waits for those clients.
    expect(slowestMs.busy).toBeLessThan(2000)
    for (const { socket } of held) socket.destroy()
    await command.stop()
  },
)
