// No false alarms: clients without flaws keep all duties, whether they only ask, or mostly listen; so does the command `run`.

import { test } from 'vitest'
import { runCommand } from '../../../dist/emulator/internal.js'
import { both } from '../../../spec/language.ts'
import { clientJudge, type RunClient } from '../../check/duties/judge-client.ts'
import { dutiesOn } from '../../check/duties/run-duties.ts'
import { expect } from '../../judge/expect.ts'
import { isLong, sampleOf } from '../../support/effort.ts'
import { outputOf } from '../../support/in-process.ts'
import { scriptedClient } from '../../support/scripted-client/client.ts'
import { textToImage } from '../../support/spawned.ts'

for (const place of both) {
  for (const habit of ['polls', 'sockets'] as const) {
    test.concurrent(`a good client that only ${habit === 'polls' ? 'asks' : 'listens'} is not accused on ${place}`, async () => {
      const { ordinary, judge } = clientJudge(place, (target) => scriptedClient(target, [], habit))
      const usual = await ordinary()
      // Side by side: the client mostly waits.
      const judged = await Promise.all(
        sampleOf(dutiesOn(place), 4).map(async (duty) => {
          const { judgement } = await judge(duty, usual)
          return [duty.rule, judgement] as const
        }),
      )
      expect(judged.filter(([, { is }]) => is === 'broken')).toEqual([])
    })
  }
}

/** The duties that take it little time. */
const quick = new Set(['duties/no-socket', 'duties/status-first', 'duties/video-keys'])

/** It breaks none but this one: it fails when a link has expired. */
const known = new Set<string>(['duties/expired-link'])

const run: RunClient = async ({ url, apiKey }) => {
  const key = apiKey === '' ? [] : ['--api-key', apiKey]
  const argv = [textToImage, '--url', url, ...key, '--out', 'output', '--timeout', '60']
  const { code, stdout, stderr } = await outputOf(runCommand, argv)
  return { exitCode: code, output: stdout + stderr }
}

for (const place of both) {
  test.concurrent(`run keeps the duties of a client on ${place}`, async () => {
    const { ordinary, judge } = clientJudge(place, run)
    const usual = await ordinary()
    expect(usual.end.exitCode).toBe(0)
    const broken: unknown[] = []
    for (const duty of dutiesOn(place).filter(({ rule }) => isLong || quick.has(rule))) {
      const { judgement } = await judge(duty, usual)
      if (judgement.is === 'broken' && !known.has(duty.rule))
        broken.push([duty.rule, judgement.why])
    }
    expect(broken).toEqual([])
  })
}
