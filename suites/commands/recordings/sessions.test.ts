// The recordings of worlds in recordings/sessions/: each is small and names its rules.

import { readdirSync } from 'node:fs'
import { readRecording } from '../../../dist/emulator/internal.js'
import { rules } from '../../../spec/index.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { sessionsFolder, sessionText } from '../../support/recordings/real-sessions.ts'
import { sessions } from '../../recorded/sessions.ts'

const MAX_BYTES = 40_000

for (const session of sessions)
  test(`sessions/${session.name} It is small, and names rules that exist.`, () => {
    const text = sessionText(session.name)
    expect(text.length).toBeLessThan(MAX_BYTES)
    const { info } = readRecording(text, session.name)
    expect(info).toMatchObject({ origin: 'a world of flowdouble', place: session.place })
    expect(info?.rules?.length).toBeGreaterThan(0)
    expect(info?.rules?.filter((id) => !Object.hasOwn(rules, id))).toEqual([])
  })

test('sessions/all Every recording of a world has its session.', () => {
  const worlds = readdirSync(sessionsFolder).filter((file) => /^(local|hosted|gateway)-/.test(file))
  expect(worlds.toSorted()).toEqual(sessions.map(({ name }) => `${name}.har`).toSorted())
})
