// Judges each committed recording without a server: no law is broken, by our worlds as by a real server.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRecording } from '../../dist/emulator/internal.js'
import { traceOf } from '../../dist/emulator/session/index.js'
import { judgeTraces } from '../check/trace/judge-traces.ts'
import { laws } from '../laws/index.ts'
import { expect } from '../judge/expect.ts'
import { test } from '../judge/proves.ts'

const folder = join(import.meta.dirname, '../../recordings/sessions')

for (const file of readdirSync(folder).filter((one) => one.endsWith('.har')))
  test(`recorded/${file} It keeps every law that can judge it.`, () => {
    const trace = traceOf(readRecording(readFileSync(join(folder, file), 'utf8'), file), file)
    expect(trace).toBeDefined()
    if (trace === undefined) return
    const results = judgeTraces([trace], laws)
    expect(
      results.flatMap(({ title, found }) => found.map(({ says }) => ({ title, says }))),
    ).toEqual([])
    expect(results.filter(({ seen }) => seen > 0).length).toBeGreaterThan(1)
  })
