// Equal seeds and equal inputs produce equal bytes, and a journal replays to the effects that it lists.

import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { replay } from 'flowdouble'
import { expect, test } from 'vitest'
import { slow } from '../generate/graphs.ts'
import { nodeTypesText } from '../generate/node-types.ts'
import { startSubject } from '../judge/subject.ts'
import { live, liveHosted } from '../recorded/transcripts.ts'
import { folder } from '../support/folder.ts'
import { expectSame } from '../support/same.ts'

test('determinism/same-bytes Equal seeds give equal bytes, and another seed produces others.', async () => {
  const [one, same, other] = [await live('a'), await live('a'), await live('b')]
  expect(one.lines.length).toBeGreaterThan(200)
  expectSame('The second session', same.lines.join('\n'), one.lines.join('\n'))
  expect(other.lines).toHaveLength(one.lines.length)
  expect(other.lines).not.toEqual(one.lines)
  expect(one.pictures.length).toBeGreaterThan(3)
  expect(one.pictures.filter((picture) => other.pictures.includes(picture))).toEqual([])
})

/** A line with the headers of a reply in alphabetic order, as the fetch API has them; other lines as they are. */
function inOrder(line: string): string {
  if (!line.startsWith('{"') || !line.includes('"server":')) return line
  const headers = JSON.parse(line) as Readonly<Record<string, string>>
  return JSON.stringify(Object.fromEntries(new Headers(headers)))
}

test.each(['fetch', 'msw'] as const)(
  'determinism/edges The sessions on the edge %s are those on sockets, except for the order of headers.',
  async (edge) => {
    const [there, here] = [(await live('a', edge)).lines, (await live('a')).lines]
    const [hostedThere, hostedHere] = [await liveHosted('a', edge), await liveHosted('a')]
    const textOf = (lines: readonly string[]): string => lines.map(inOrder).join('\n')
    expectSame(`The local session on ${edge}`, textOf(there), textOf(here))
    expectSame(`The hosted session on ${edge}`, textOf(hostedThere), textOf(hostedHere))
  },
)

test('determinism/replay A journal replays to equal effects, and one changed by hand does not.', async () => {
  const { journal } = await live('a')
  const objectInfo = nodeTypesText()
  const entries = journal.length - 1
  expect(entries).toBeGreaterThan(50)
  expect(replay(journal.join('\n'), objectInfo)).toEqual({ entries, differs: null })
  const changes: [string, string][] = [
    ['"status":400', '"status":401'],
    ['execution_success', 'execution_error'],
    ['"step":2', '"step":3'],
    ['"kind":"accept","socket":2', '"kind":"accept","socket":3'],
  ]
  for (const [from, to] of changes) {
    const at = journal.findIndex((line) => line.includes(from))
    expect([from, at]).not.toEqual([from, -1])
    const changed = journal.with(at, journal[at]!.replace(from, to)).join('\n')
    expect([from, replay(changed, objectInfo)]).toEqual([from, { entries, differs: at - 1 }])
  }
  const without = journal.filter((_, index) => index !== 8).join('\n')
  expect(replay(without, objectInfo).differs).not.toBeNull()
})

const secrets = {
  api_key_comfy_org: 'key-1-é\n"quoted"',
  api_key_partner_org: 'key-2',
  auth_token_comfy_org: 'key-3',
}
const quirkOf = { shown: ['local.queue-shows-partner-key'], hidden: [] }

test.each(['hidden', 'shown'] as const)(
  'determinism/journal-file The journal file is private, replays and holds no secret (keys %s).',
  async (keys) => {
    const file = join(folder(), 'journal.ndjson')
    const subject = await startSubject({ journal: file, quirk: quirkOf[keys] })
    const session = await subject.connect(undefined, '/ws?clientId=me&token=key-4')
    const extra_data = { ...secrets, open: 'shown' }
    await subject.submit(slow(), { client_id: 'me', extra_data })
    await subject.request('GET', '/queue?a=1&token=key-5', undefined, {
      Authorization: 'Bearer key-6',
      'X-API-Key': 'key-7',
      Cookie: 'key-8',
    })
    await subject.request('POST', '/prompt', '{"extra_data": {"api_key_comfy_org": "key-9"')
    await subject.idle()
    await subject.get('/history')
    await session.settled()
    await subject.close()
    const text = await readFile(file, 'utf8')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(text.match(/key-\d/g)).toBeNull()
    expect(text).toContain('shown')
    expect(text).toMatch(/<secret:[0-9a-f]{12}>/)
    const entries = text.trimEnd().split('\n').length - 1
    const objectInfo = nodeTypesText()
    expect(replay(text, objectInfo)).toEqual({ entries, differs: null })
  },
)
