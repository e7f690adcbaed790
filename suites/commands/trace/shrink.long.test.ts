// A long recording with one planted violation is reduced to a few exchanges within a minute.

import { cpuUsage } from 'node:process'
import { test } from 'vitest'
import { breaking, shrinkRecording, sizeOf } from '../../check/trace/shrink.ts'
import { expect } from '../../judge/expect.ts'
import { breaks } from './breaks.ts'
import { repeated } from './repeat.ts'
import { goodSession } from './sessions.ts'

const planted: readonly string[] = [
  'messages/order',
  'messages/progress-state',
  'jobs/status',
  'files/upload-is-usable',
]

test.each(planted)(
  'trace/shrink-long 5,000 messages with a violation of %s become fewer than 20 exchanges.',
  async (law) => {
    const good = await goodSession('hosted')
    const long = repeated(good, Math.ceil(5000 / sizeOf(good).messages))
    expect(sizeOf(long).messages).toBeGreaterThanOrEqual(5000)
    const edit = breaks.find((one) => one.law === law && one.on.includes('hosted'))?.edit
    const recording = edit === undefined ? long : edit(long)
    const before = cpuUsage()
    const shows = breaking(recording, law)
    const smallest = shows && (await shrinkRecording(recording, shows))
    const { user, system } = cpuUsage(before)
    expect(sizeOf(smallest ?? recording).exchanges).toBeLessThan(20)
    expect(sizeOf(smallest ?? recording).messages).toBeLessThan(20)
    expect((user + system) / 1e6).toBeLessThan(60)
  },
)
