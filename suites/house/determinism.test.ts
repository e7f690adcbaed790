// Equal seeds and equal inputs give equal bytes; and a journal replays to the effects that it tells of.

import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replay } from 'flowdouble'
import { expect, test } from 'vitest'
import type { Session } from '../client.ts'
import { formOf, viewPath } from '../form.ts'
import { failing, type Graph, slow, textToImage } from '../graphs.ts'
import { type Reply, startSubject } from '../subject.ts'

const catalog = join(import.meta.dirname, '../../spec/node-types.json')
const preview = (image: string): Graph => ({
  '1': { class_type: 'LoadImage', inputs: { image } },
  '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
})
type Output = Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>

/** Lives through the same session in a world with this seed. Gives a hash of all that a client saw, those of the pictures, and the journal. */
async function live(seed: string) {
  const subject = await startSubject({ seed, preview: 'jpeg' })
  const { connect, emulator, get, idle, post, reach, request, run, submit } = subject
  const hash = createHash('sha256')
  let seen = 0
  const see = (...items: readonly (string | Uint8Array)[]) => {
    for (const item of items) hash.update(`${seen++} ${item.length}\n`).update(item)
  }
  const seeReply = ({ status, headers, bytes }: Reply) =>
    see(`${status}`, JSON.stringify(headers), bytes)
  const seeSession = async (session: Session) => {
    await session.settled()
    see(...session.texts)
    for (const { frame, fields } of session.frames()) {
      see(frame)
      for (const value of Object.values(fields)) {
        see(value instanceof Uint8Array ? value : JSON.stringify(value))
      }
    }
  }
  const me = await connect('me')
  const other = await connect()
  const host = { Host: 'flowdouble.test' }
  for (const path of ['/', '/system_stats', '/object_info/KSampler', '/models/vae', '/none']) {
    seeReply(await request('GET', path, undefined, host))
  }
  const form = formOf({ name: 'image', filename: 'my.bin', content: Uint8Array.of(0, 255, 10) })
  seeReply(await request('POST', '/upload/image', ...form))
  see((await run(me, textToImage(1, 3, 2))).prompt_id)
  me.send('{"type": "feature_flags", "data": {"supports_preview_metadata": true}}')
  see((await run(me, textToImage(2))).prompt_id)
  seeReply(await submit(textToImage(3)))
  seeReply(await submit({ '1': { class_type: 'None', inputs: {} } }))
  seeReply(await get('/queue'))
  await idle()
  await submit(slow(), { client_id: 'me', prompt_id: 'stopped' })
  await reach(me, ({ type, data }) => type === 'progress' && data['prompt_id'] === 'stopped')
  seeReply(await post('/interrupt', {}))
  await idle()
  await run(me, failing())
  await run(me, preview('example.png'))
  await emulator?.advance(1500)
  const history = await get('/history')
  seeReply(history)
  const entries: { outputs: Readonly<Record<string, Output>> }[] = Object.values(history.json())
  const outputs = entries.flatMap((entry) => Object.values(entry.outputs))
  const files = outputs.flatMap((output) => Object.values(output).flat())
  const views: Reply[] = []
  for (const file of files) views.push(await get(viewPath(file)))
  views.forEach(seeReply)
  const pictures = views.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'))
  seeReply(await get(viewPath({ filename: 'my.bin', type: 'input' })))
  await seeSession(me)
  await seeSession(other)
  const journal = (await emulator?.journal()) ?? []
  await subject.close()
  return { hash: hash.digest('hex'), seen, journal, pictures }
}

test('determinism/same-bytes Equal seeds give equal bytes, and another seed gives others.', async () => {
  const [one, same, other] = [await live('a'), await live('a'), await live('b')]
  expect(one.seen).toBeGreaterThan(200)
  expect([same.seen, same.hash]).toEqual([one.seen, one.hash])
  expect([other.seen, other.hash === one.hash]).toEqual([one.seen, false])
  expect(one.pictures.length).toBeGreaterThan(3)
  expect(one.pictures.filter((picture) => other.pictures.includes(picture))).toEqual([])
})

test('determinism/replay A journal replays to equal effects, and one changed by hand does not.', async () => {
  const { journal } = await live('a')
  const objectInfo = await readFile(catalog, 'utf8')
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
    const folder = await mkdtemp(join(tmpdir(), 'flowdouble-'))
    const file = join(folder, 'journal.ndjson')
    try {
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
      const objectInfo = await readFile(catalog, 'utf8')
      expect(replay(text, objectInfo)).toEqual({ entries, differs: null })
    } finally {
      await rm(folder, { recursive: true })
    }
  },
)
