// The table of rules behind answers can be wrong: each of its rules has to be behind a reply in a case that proves it.

import { Readable } from 'node:stream'
import { afterAll, expect, test, vi } from 'vitest'
import * as answers from '../../spec/answers.ts'
import { quirks, rules } from '../../spec/index.ts'
import type { Place, Quirk, Rule } from '../../spec/language.ts'
import { runCase } from '../judge/proves.ts'
import { cases } from './cases.ts'

const ownServer = 'Its case starts a server with lower limits, which has no other options.'
const never = 'Its refusal is for a failure of the server, which no request causes.'
const accepted = 'A handshake that succeeds is answered by its socket, without the header.'

/** The rules that no case shows in a header, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'files/upload-bounds on local': ownServer,
  'files/hosted-upload-bounds on hosted': ownServer,
  'queue/bounded on local': ownServer,
  'queue/hosted-bounded on hosted': ownServer,
  'http/hosted-refusals on hosted': never,
  'webhooks/no-500 on gateway': never,
  'deployments/local-socket on local': accepted,
  'deployments/hosted-socket on hosted': accepted,
}

/** The ids in a part of the table. */
const idsIn = (part: unknown): readonly string[] =>
  typeof part === 'string' ? [part] : Object.values(part as object).flatMap(idsIn)

const known: Readonly<Record<string, Rule | Quirk>> = {
  ...rules,
  ...Object.fromEntries(Object.entries(quirks).map(([name, one]) => [`quirks/${name}`, one])),
}

const pairs = [...new Set(idsIn(answers))].flatMap((id) =>
  (known[id]?.on ?? []).map((place) => ({ id, place, name: `${id} on ${place}` })),
)

/** What streams in this process have received: among them the replies, as their clients see them. */
const received = vi.spyOn(Readable.prototype, 'push')
afterAll(() => received.mockRestore())

/** The rules of the replies since the last call. */
function receivedIds(): readonly string[] {
  const texts = received.mock.calls.map(([chunk]) =>
    chunk instanceof Uint8Array ? Buffer.from(chunk).toString('latin1') : '',
  )
  received.mockClear()
  return texts.flatMap((text) =>
    [...text.matchAll(/\r\nX-Flowdouble-Rules: (.*)\r\n/g)].flatMap(([, ids = '']) =>
      ids.split(', '),
    ),
  )
}

async function isBehindReply(id: string, place: Place): Promise<boolean> {
  const explain = true
  for (const one of cases.filter((each) => each.ids.includes(id) && each.place === place)) {
    await runCase(one, { server: { explain }, gateway: { explain } })
    if (receivedIds().includes(id)) return true
  }
  return false
}

test.each(pairs.filter(({ name }) => !(name in exceptions)))(
  '$name is behind a reply in one of its cases',
  async ({ id, place }) => expect(await isBehindReply(id, place)).toBe(true),
)

test('the exceptions are in the table, and are exceptions', async () => {
  const names = Object.keys(exceptions)
  const declared = pairs.filter(({ name }) => names.includes(name))
  expect(declared.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  for (const { id, place, name } of declared)
    expect({ name, isShown: await isBehindReply(id, place) }).toEqual({ name, isShown: false })
})
