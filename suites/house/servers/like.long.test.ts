// Each named server, judged as if nobody knew it: it is recognised, and all that it does otherwise is named.

import { startEmulator, startGateway } from 'flowdouble'
import { test } from 'vitest'
import { type ServerName, servers } from '../../../spec/truth/servers.ts'
import type { CheckEvent } from '../../check/events.ts'
import { expect } from '../../judge/expect.ts'
import { start } from '../../support/spawned.ts'

const names = Object.keys(servers) as readonly ServerName[]

const budget = ['--max-runs', '5000', '--max-seconds', '270']
/** More posts than the cases send, so that none has to wait. */
const RATE = 1000
const secret = 'secret-of-the-sender'

/** A named server that listens, and the flags with which `check` opens it. */
async function started(like: ServerName) {
  if (servers[like].on !== 'gateway') {
    const { url, close } = await startEmulator({ port: 0, like })
    return { flags: [url, '--allow', 'all'], close }
  }
  const routes = { one: { secret }, two: { secret } }
  const { url, close } = await startGateway({ port: 0, like, routes, rateLimit: RATE })
  const flags = ['--gateway', url, '--route', 'one', '--second-route', 'two', '--secret', secret]
  // What is slow fills the window of the rate limit, and waits.
  return { flags: [...flags, '--rate-limit', String(RATE)], close }
}

/** What a check of a named server says. */
async function checked(like: ServerName, ...more: readonly string[]) {
  const { flags, close } = await started(like)
  try {
    const { stdout } = await start('check', ...flags, ...budget, '--json', ...more).ends
    const events = stdout.split('\n').filter(Boolean)
    return eventsOf(events.map((line) => JSON.parse(line) as CheckEvent))
  } finally {
    await close()
  }
}

/** The cases that did not pass, and the end. */
function eventsOf(events: readonly CheckEvent[]) {
  const cases = events.flatMap((one) => (one.event === 'case' ? one : []))
  const end = events.find(({ event }) => event === 'end')
  const broken = cases.filter(({ verdict }) => ['fail', 'note', 'fault'].includes(verdict))
  return { broken, end }
}

/** The cases in which a server differs from the usual one without a quirk or an option of the named server. */
const unexplained = (like: ServerName, broken: ReturnType<typeof eventsOf>['broken']) =>
  broken
    .filter(({ verdict, quirk, detail = '' }) => {
      const own: readonly string[] = servers[like].quirks
      return quirk === undefined
        ? verdict !== 'note' || !detail.includes(`${like} has the option`)
        : !own.includes(quirk)
    })
    .map(({ title, verdict, quirk, failure }) => ({ title, verdict, quirk, failure }))

test.each(names)('%s is recognised, and each difference names a quirk of it', async (like) => {
  const { broken, end } = await checked(like)
  expect(unexplained(like, broken)).toEqual([])
  expect(end).toMatchObject({ nearest: { like, differs: [] } })
})

test.each(names)('%s has no failures for those who know it', async (like) => {
  const { broken, end } = await checked(like, '--like', like)
  expect(unexplained(like, broken)).toEqual([])
  expect(end).toMatchObject({ counts: { fail: 0, fault: 0 }, exitCode: 0 })
})
