// The client with a hosted server: how it recognizes one, where the key goes and never goes, uploads.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { hostedKey, jobOf } from './misbehaving-hosted.ts'
import { promptId, startOtherHost, startMisbehaving } from './misbehaving-server.ts'
import { asked, command, filesIn, runHosted, runOn, sampler, serveHosted } from './harness.ts'
import { expect } from '../../judge/expect.ts'
import { folder } from '../../support/folder.ts'

test('run/hosted-key The key goes with each request to the server, and as the token of the socket.', async () => {
  const server = await serveHosted()
  const { result, files } = await runHosted(server)
  expect(result).toMatchObject({ outcome: 'success', prompt_id: promptId })
  expect(files).toEqual({ 'a.png': 'bytes of /a.png' })
  const [question, ...others] = server.requests
  // Before the client knows the deployment, it does not send the key.
  expect([question?.path, JSON.stringify(question)]).toEqual([
    '/system_stats',
    expect.not.stringContaining(hostedKey),
  ])
  for (const { path, query, headers } of others) {
    expect([path, headers['x-api-key'] ?? query.get('token')]).toEqual([path, hostedKey])
  }
  expect(asked(server, '/ws', '/prompt', '/jobs/run-1', '/view')).toHaveLength(4)
})

for (const [place, behaviour] of Object.entries({ local: {}, hosted: { hosted: {} } }))
  test.each(['', '/', '/api', '/api/'])(
    `run/address The client takes a ${place} address that ends in "%s".`,
    async (tail) => {
      const server = await startMisbehaving(behaviour)
      const key = place === 'hosted' ? { apiKey: hostedKey } : {}
      expect((await runOn({ url: server.url + tail }, key)).result.outcome).toBe('success')
      expect(server.submits[0]).toContain(sampler)
    },
  )

test('run/hosted-probed Without a key the client asks the server for its deployment; hosted requires a key.', async () => {
  const server = await serveHosted()
  const { code, stderr } = await command(['workflow.json', '--url', server.url])
  expect({ code, seen: asked(server, '/system_stats', '/prompt') }).toEqual({
    code: 2,
    seen: ['/system_stats', '/system_stats'],
  })
  expect(stderr).toContain(`${server.url} is a hosted server: give its key with --api-key-env`)
})

test('run/hosted-probed A server that answers unknown paths with a page is not local.', async () => {
  const server = await serveHosted({ first: { '/system_stats': [{ body: '<html>' }] } })
  expect((await runOn(server)).result.outcome).toBe('usage')
})

test.each([{ body: '{"system": {}}' }, { status: 401 }, { status: 403 }])(
  'run/local-probed A server whose bare path answers %j is local, and asked once.',
  async (answer) => {
    const server = await startMisbehaving({ first: { '/system_stats': [answer] } })
    expect((await runOn(server)).result.outcome).toBe('success')
    expect(asked(server, '/system_stats')).toHaveLength(1)
  },
)

test('run/deployment The flag overrides the detection, and a key does not go to a local server.', async () => {
  const local = await startMisbehaving()
  expect((await runOn(local, { deployment: 'local' })).result.outcome).toBe('success')
  expect(asked(local, '/system_stats')).toEqual([])
  const { result } = await runHosted(local, { deployment: 'local' })
  const message = expect.stringContaining('A local server takes no API key')
  expect(result).toMatchObject({ outcome: 'usage', error: { message } })
})

test('run/deployment A key for a server that turns out to be local exits with 2, and is not sent.', async () => {
  const body = '{"system": {}}'
  const server = await startMisbehaving({ first: { '/system_stats': [{ body }] } })
  const argv = ['workflow.json', '--url', server.url, '--api-key', hostedKey]
  expect(await command(argv)).toMatchObject({
    code: 2,
    stderr:
      `${server.url} is a local server, which takes no API key: leave it out. ` +
      '(If it is not, say --deployment hosted.)\n',
  })
  expect(asked(server, '/system_stats', '/ws', '/prompt')).toEqual(['/system_stats'])
  expect(JSON.stringify(server.requests)).not.toContain(hostedKey)
})

test('run/deployment A key means hosted if the bare path is locked or a page.', async () => {
  for (const answer of [{ status: 401 }, { status: 403 }, { body: '<html>' }]) {
    const server = await serveHosted({ first: { '/system_stats': [answer] } })
    expect((await runHosted(server)).result.outcome).toBe('success')
  }
})

test('run/hosted-key-hidden The key is never printed, and the variable works like the flag.', async () => {
  const text = [`you sent ${hostedKey}`]
  const job = jobOf('completed', { outputs: { '9': { text } } })
  const { url } = await serveHosted({ hosted: { jobs: [job] } })
  for (const key of [
    ['--api-key', hostedKey],
    ['--api-key-env', 'KEY'],
  ]) {
    const argv = ['workflow.json', '--url', url, '--json', ...key]
    const { code, stdout, stderr } = await command(argv, { env: { KEY: hostedKey } })
    expect(code).toBe(0)
    expect(stdout).toContain('you sent ***')
    expect(stdout + stderr).not.toContain(hostedKey)
  }
})

test('run/hosted-wrong-key A wrong key exits with 3, is reported, and is not repeated.', async () => {
  const { url } = await serveHosted()
  const argv = ['workflow.json', '--url', url, '--api-key', 'wrong-key']
  const { code, stderr } = await command(argv)
  expect(code).toBe(3)
  expect(stderr).toContain('Is the API key right?')
  expect(stderr).not.toContain('wrong-key')
})

test('run/hosted-link The key does not go to the signed link, on another host or on the same.', async () => {
  const other = await startOtherHost('signed bytes')
  const to = (location: string) => ({ status: 302, headers: { location } })
  const far = await serveHosted({ views: { 'a.png': to(`${other.url}/f?sig=1`) } })
  expect((await runHosted(far)).files).toEqual({ 'a.png': 'signed bytes' })
  const near = await serveHosted({ views: { 'a.png': to('/stored/f') } })
  await runHosted(near)
  const [link] = other.requests
  const stored = near.requests.find(({ path }) => path === '/stored/f')
  for (const headers of [link?.headers, stored?.headers]) {
    expect(Object.keys(headers ?? {})).toContain('user-agent')
    expect(Object.keys(headers ?? {}).join()).not.toMatch(/x-api-key|authorization|cookie/)
  }
  expect(link?.query.toString()).toBe('sig=1')
})

test('run/hosted-link Five redirects are followed; a sixth and other schemes are not.', async () => {
  const other = await startOtherHost('bytes')
  const end = (location: string) => ({ status: 302, headers: { location } })
  /** Answers that lead through so many redirects to an address. */
  const chain = (hops: number, last: string) => ({
    '/view': [end(hops === 1 ? last : '/api/hop/1')],
    ...Object.fromEntries(
      Array.from({ length: hops - 1 }, (_, at) => [
        `/hop/${at + 1}`,
        [end(at + 2 === hops ? last : `/api/hop/${at + 2}`)],
      ]),
    ),
  })
  for (const [first, outcome] of [
    [chain(1, `${other.url}/f`), 'success'],
    [chain(1, 'file:///etc/hostname'), 'protocol'],
    [chain(1, 'ftp://127.0.0.1/x'), 'protocol'],
    [chain(5, `${other.url}/f`), 'success'],
    [chain(6, `${other.url}/f`), 'protocol'],
  ] as const)
    expect((await runHosted(await serveHosted({ first }))).result.outcome).toBe(outcome)
})

test('run/hosted-upload An upload gets the name that the server returned, whatever folder it echoes.', async () => {
  const place = folder()
  await mkdir(join(place, 'sub'))
  await writeFile(join(place, 'sub', 'dog.png'), 'dog')
  const stored = () => ({ name: '0a1b.png', subfolder: 'sub', type: 'input' })
  const server = await serveHosted({ stored })
  const text = '{"1": {"class_type": "LoadImage", "inputs": {"image": "sub/dog.png"}}}'
  const { result } = await runOn(server, { apiKey: hostedKey, text, place, clientId: 'me' })
  expect(result.outcome).toBe('success')
  expect(server.submits).toEqual([
    `{"prompt": ${text.replace('sub/dog.png', '0a1b.png')}, "client_id": "me"}`,
  ])
  expect(server.uploads).toEqual([
    { name: 'dog.png', text: 'dog', fields: { type: 'input', overwrite: 'false' } },
  ])
  expect(Object.keys(await filesIn(join(place, 'out')))).toEqual(['a.png'])
})

test('run/hosted-upload A rejected upload ends the run, and nothing is submitted.', async () => {
  const place = folder()
  await writeFile(join(place, 'dog.png'), 'dog')
  const body = '{"code": "FORBIDDEN", "message": "The free tier ends here."}'
  const server = await serveHosted({ first: { '/upload/image': [{ status: 403, body }] } })
  const text = '{"1": {"class_type": "LoadImage", "inputs": {"image": "dog.png"}}}'
  const { result } = await runOn(server, { apiKey: hostedKey, text, place })
  const message = 'The server refused the upload of dog.png: The free tier ends here.'
  expect(result).toMatchObject({ outcome: 'refused', error: { type: 'FORBIDDEN', message } })
  expect(server.submits).toEqual([])
})
