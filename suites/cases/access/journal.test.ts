// The journal contains no keys, wherever a client puts one, and still replays.

import { replay } from 'flowdouble'
import { bought, node, solid, talking } from '../../generate/graphs.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const open = { tier: 'pro', balance: 1000, subscription: 'active', failsWith: null } as const

proves(
  'access/journal-keys-hidden',
  async ({ raw, emulator }) => {
    const headers = { 'X-API-Key': 'test-key' }
    const ask = async (method: string, path: string) =>
      (await raw(method, path, method === 'POST' ? '"test-key"' : undefined, headers)).text
    // What a client names after a key is returned to it under its real name.
    const names = ['/api/userdata/test-key-notes.json', '/api/settings/test-key-free']
    for (const path of names) await ask('POST', path)
    await ask('POST', '/api/userdata/0.json')
    for (const path of [...names, '/api/userdata?dir=', '/api/view?filename=test-key-free'])
      await ask('GET', path)
    expect(await ask('GET', '/api/userdata?recurse=true')).toContain('"test-key-notes.json"')
    const mistakes = [
      '/api/queue?api_key=test-key-free',
      '/api/history_v2?test-key',
      '/api/x/te%73t-ke%79',
    ]
    for (const path of mistakes) await ask('GET', path)
    const lines = (await emulator?.journal()) ?? []
    const [header = '', ...entries] = lines
    const targets = entries.map((line) => JSON.parse(line).input.target)
    const [{ keys: ours }, { keys: theirs }] = JSON.parse(header).options.accounts
    expect(targets.slice(0, 2)).toEqual([
      `/api/userdata/${ours[0]}-notes.json`,
      `/api/settings/${theirs[0]}`,
    ])
    expect(targets.slice(-3)).toEqual([
      `/api/queue?api_key=${theirs[0]}`,
      `/api/history_v2?${ours[0]}`,
      `/api/x/${ours[0]}`,
    ])
    expect(lines.join()).not.toContain('test-key')
  },
  { deployment: 'hosted' },
)

for (const deployment of ['local', 'hosted'] as const) {
  proves(
    'access/journal-keeps-texts',
    async ({ post, emulator }) => {
      await post('/settings', { 'forge.token': 'of-another-service' })
      await post('/userdata/notes.json', { token: 'of-a-third' })
      const journal = ((await emulator?.journal()) ?? []).join()
      expect(journal).toContain('of-another-service')
      expect(journal).toContain('of-a-third')
    },
    { deployment },
  )
}

/** The keys of the next cases, in every place where a client can put one. */
const long = {
  accounts: [
    {
      ...open,
      user: 'me',
      keys: ['key-aaaaaaaa', 'key-aaaaaaaa-longer'],
      partnerKey: 'pk-aaaaaaaa',
    },
    { ...open, user: 'you', keys: ['key-bbbbbbbb'], partnerKey: 'pk-bbbbbbbb' },
  ],
}
const mistaken = {
  api_key: 'key-aaaaaaaa',
  token: 'key-aaaaaaaa-longer',
  list: [{ deep: 'pk-aaaaaaaa' }],
  extra_pnginfo: { workflow: { n: 'pk-aaaaaaaa', kept: 'a text' } },
}

proves(
  'access/hosted-extra-data-keys',
  async (subject) => {
    const me = subject.as('key-aaaaaaaa')
    const given = { ...mistaken, other: 'key-bbbbbbbb', within: 'a pk-aaaaaaaa' }
    const { prompt_id } = (await me.submit(solid(), { extra_data: given })).json()
    await subject.idle()
    const { text } = await me.get(`/jobs/${prompt_id}`)
    expect(text).toContain('a text')
    // The key of another account is not valid here, and neither is arbitrary text.
    expect(text).toContain('key-bbbbbbbb')
    expect(text).toContain('a pk-aaaaaaaa')
    for (const key of ['"key-aaaaaaaa"', '"key-aaaaaaaa-longer"', '"pk-aaaaaaaa"']) {
      expect(text).not.toContain(key)
    }
  },
  long,
)

proves(
  ['access/journal-keys-hidden', 'access/journal-replays', 'access/hosted-keys-hidden'],
  async (subject) => {
    const me = subject.as('key-aaaaaaaa')
    const session = await me.connect()
    const keys = 'key-aaaaaaaa key-aaaaaaaa-longer pk-aaaaaaaa key-bbbbbbbb'
    await me.post('/settings', { 'a.b': keys })
    await me.post('/userdata/x.json', { keys })
    for (const path of ['/settings', '/userdata/x.json']) {
      // The server returns what a client stored itself.
      expect((await me.get(path)).text).toContain(keys)
    }
    await me.run(session, bought(keys), { extra_data: { api_key_comfy_org: 'pk-aaaaaaaa' } })
    await me.run(session, talking(keys), { extra_data: mistaken })
    expect(session.texts.join()).not.toContain('"pk-aaaaaaaa"')
    const unknown = await me.submit({ '1': node('key-aaaaaaaa') })
    expect([unknown.status, unknown.text.includes('key-aaaaaaaa')]).toEqual([400, true])
    session.send(keys)
    await session.settled()
    const spelled = '{"prompt":{},"a":"key\\u002daaaaaaaa"}'
    expect((await me.request('POST', '/prompt', spelled)).status).toBe(400)
    for (const path of [
      '/queue?api_key=key-aaaaaaaa',
      '/view?filename=pk-bbbbbbbb',
      '/x/key%2Daaaaaaaa',
    ])
      await me.get(path)
    const lines = (await subject.emulator?.journal()) ?? []
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.join()).not.toMatch(/(?:key|pk)(?:-|\\+u002d)(?:a{8}|b{8})/)
    expect(replay(lines)).toEqual({ entries: lines.length - 1, differs: null })
  },
  long,
)

proves(
  ['access/journal-keys-hidden', 'access/journal-replays'],
  async ({ emulator, request }) => {
    const token = 'token-cccccccc'
    const headers = { Authorization: `Bearer ${token}` }
    const bodies = [
      ['/settings', `{"a":"${token}"}`],
      [`/userdata/${token}.json`, `{"a":"${token}"}`],
      ['/prompt', JSON.stringify({ prompt: { '1': node(token) } })],
      ['/prompt', JSON.stringify({ prompt: talking(token), extra_data: { a: token } })],
    ] as const
    for (const [path, body] of bodies) await request('POST', path, body, headers)
    await emulator?.until('idle')
    for (const path of ['/settings', `/userdata/${token}.json`, '/history'])
      expect((await request('GET', path, undefined, headers)).text).toContain(token)
    const lines = (await emulator?.journal()) ?? []
    expect(lines.join()).not.toContain(token)
    expect(replay(lines.join('\n'))).toEqual({ entries: lines.length - 1, differs: null })
  },
  { deployment: 'local', token: 'token-cccccccc' },
)

const hidden = 'token-dddddddd'
/** A file with the token in it. */
const file = { base64: btoa(`\u00ff a ${hidden} z`) }
const notes = { class_type: 'SaveImage', outputs: { images: [{ ...file, filename: 'notes.txt' }] } }

proves(
  ['access/journal-keys-hidden', 'access/journal-replays'],
  async ({ breaks, emulator, request }) => {
    breaks('workflows/number-counts')
    const headers = { Authorization: `Bearer ${hidden}` }
    const read = async (query: string): Promise<number> =>
      (await request('GET', `/view?${query}`, undefined, headers)).bytes.length
    expect(await read('filename=a.txt&type=input')).toBe(20)
    for (const rules of [[], [notes]]) {
      await emulator!.load({ version: 1, nodes: rules })
      await request('POST', '/prompt', JSON.stringify({ prompt: solid() }), headers)
      await emulator!.until('idle')
    }
    await emulator!.reset()
    await request('POST', '/prompt', JSON.stringify({ prompt: solid() }), headers)
    await emulator!.until('idle')
    expect(await read('filename=notes.txt')).toBe(20)
    const lines = await emulator!.journal()
    const encoded = lines.flatMap((line) => [...line.matchAll(/"base64":"([^"]*)"/g)])
    expect(encoded).toHaveLength(3)
    for (const [, text = ''] of encoded) expect(atob(text)).toMatch(/^\u00ff a <[^>]{12}> z$/)
    expect(replay(lines)).toEqual({ entries: lines.length - 1, differs: null })
  },
  {
    deployment: 'local',
    token: hidden,
    scenario: {
      version: 1,
      start: { files: [{ path: 'input/a.txt', ...file }] },
      nodes: [notes],
    },
  },
)
