// The command `run` is a client too: it keeps the duties.

import { runCommand } from '../../../dist/emulator/internal.js'
import { both } from '../../../spec/language.ts'
import { clientJudge, type RunClient } from '../../check/duties/judge-client.ts'
import { dutiesOn } from '../../check/duties/run-duties.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { isLong } from '../../support/effort.ts'
import { folder } from '../../support/folder.ts'
import { textToImage } from '../../support/spawned.ts'

/** The duties that take it little time. */
const quick = new Set(['duties/no-socket', 'duties/status-first', 'duties/video-keys'])

/** It breaks none but this one: it fails when a link has expired. */
const known = new Set<string>(['duties/expired-link'])

const run: RunClient = async ({ url, apiKey }) => {
  let output = ''
  const into = {
    write: (text: string): void => {
      output += text
    },
  }
  const key = apiKey === '' ? [] : ['--api-key', apiKey]
  const argv = [textToImage, '--url', url, ...key, '--out', 'output', '--timeout', '60']
  const io = { stdout: into, stderr: into, env: {}, cwd: folder() }
  return { exitCode: await runCommand(argv, io), output }
}

for (const place of both) {
  test(`run keeps the duties of a client on ${place}`, async () => {
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
