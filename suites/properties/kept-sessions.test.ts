// What breaks a property of sessions is kept as a recording, and played first: until the property holds again.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import type { EmulatorOptions } from 'flowdouble'
import { expect, test } from 'vitest'
import { readHar } from '../../dist/emulator/internal.js'
import { solid } from '../generate/graphs.ts'
import { startSubject } from '../judge/subject.ts'
import { onJson } from '../mutants/tamper.ts'
import { assertSessions } from '../support/kept-sessions.ts'
import { newFiles } from '../support/files.ts'

type Step = { readonly do: 'submit' | 'clear' }

/** A wrong server: its queue never lists two runs. */
const wrong = (): EmulatorOptions => ({
  tamper: onJson(/^GET \/queue$/, (reply: any) => ({
    ...reply,
    queue_pending: reply.queue_pending.slice(0, 1),
  }))('local'),
})

/** Asserts that the queue lists what was submitted. Returns the sessions that were played. */
async function listed(folder: string, seed: number, options: EmulatorOptions) {
  const played: (readonly Step[])[] = []
  const failure = await assertSessions(
    {
      title: 'the queue lists what was submitted',
      sessions: fc.array(
        fc.record({ do: fc.constantFrom<Step['do'][]>('submit', 'submit', 'clear') }),
        { maxLength: 8 },
      ),
      start: () => startSubject(options),
      play: async (session, subject) => {
        played.push(session)
        let pending = 0
        for (const step of session) {
          if (step.do === 'submit') await subject.submit(solid(pending++))
          else await subject.post('/queue', { clear: true })
          if (step.do === 'clear') pending = 0
        }
        const queue = (await subject.get('/queue')).json()
        expect(queue.queue_pending.length + queue.queue_running.length).toBe(pending)
      },
    },
    { seed, numRuns: 20 },
    folder,
  ).then(
    () => '',
    (error: unknown) => (error as Error).message,
  )
  return { failure, played }
}

test('sessions/kept-of-properties The smallest session that breaks a property is kept, played first, and removed when it passes.', async () => {
  const root = newFiles()
  const folder = root.path('counterexamples')
  const first = await listed(folder, 1, wrong())
  expect(first.failure).toMatch(/Kept in .*\.har, and played first from now on/)
  const [file = '', ...others] = readdirSync(folder)
  expect(others).toEqual([])
  const { info, exchanges } = readHar(readFileSync(join(folder, file), 'utf8'), file)
  const smallest = info?.steps
  expect(smallest).toEqual([{ do: 'submit' }, { do: 'submit' }])
  // It is the session itself, not only its steps.
  expect(exchanges.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
    'POST /prompt',
    'POST /prompt',
    'GET /queue',
  ])

  const again = await listed(folder, 2, wrong())
  expect(again.played[0]).toEqual(smallest)
  expect(again.failure).not.toBe('')
  expect(readdirSync(folder)).toEqual([file])

  const right = await listed(folder, 3, {})
  expect(right.failure).toBe('')
  expect(right.played[0]).toEqual(smallest)
  expect(() => readdirSync(folder)).toThrow('ENOENT')
})
