// The journal: what it stores, what it never stores, and when it reports that it cannot be replayed.

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { replay, startEmulator } from 'flowdouble'
import { expect, test } from 'vitest'
import { solid } from '../generate/graphs.ts'
import { nodeTypesText } from '../generate/node-types.ts'
import { linkTo } from '../judge/hosted/links.ts'
import { startSubject } from '../judge/subject.ts'
import { start, startLimited } from '../support/spawned.ts'
import { folder } from '../support/folder.ts'
import { fetchLink } from '../judge/http-client.ts'

const objectInfo = nodeTypesText()
const newFile = (): string => join(folder(), 'journal.jsonl')

test('journal/lost-beginning A journal without its first entries does not replay', async () => {
  const subject = await startSubject()
  for (let count = 0; count < 1001; count++) await subject.get('/features')
  const lines = await subject.emulator!.journal()
  await subject.close()
  expect(lines).toHaveLength(1001)
  expect(() => replay(lines.join('\n'), objectInfo)).toThrow(/lost its beginning.*--journal/)
})

test('journal/bounded Large replies push older entries out', async () => {
  const subject = await startSubject()
  const large = 'a'.repeat(300_000)
  for (let count = 0; count < 40; count++) {
    await subject.request('POST', '/userdata/large.json', `${count}${large}`)
  }
  const lines = await subject.emulator!.journal()
  await subject.close()
  expect(lines.length).toBeGreaterThan(5)
  expect(lines.length).toBeLessThan(40)
})

test('journal/repeated A large answer that repeats is stored once, in memory and in the file', async () => {
  const journal = newFile()
  const subject = await startSubject({ clock: 'instant', journal })
  for (let count = 0; count < 40; count++) await subject.get('/object_info')
  await subject.upload({ name: 'new.png', bytes: Buffer.from('new') })
  await subject.get('/object_info')
  const lines = await subject.emulator!.journal()
  await subject.close()
  expect(lines).toHaveLength(43)
  const bodies = lines.slice(1).map((line) => JSON.parse(line).effects[0].body)
  expect(bodies.slice(1, 40)).toEqual(Array.from({ length: 39 }, () => ({ sameAs: 0 })))
  const text = readFileSync(journal, 'utf8')
  expect(text).toBe(`${lines.join('\n')}\n`)
  // The catalogue lists uploads: it is another one now.
  expect(bodies[41]).toEqual(expect.any(String))
  expect(text.length).toBeLessThan(3 * bodies[0].length)
  expect(replay(lines)).toEqual({ entries: 42, differs: null })
})

test('journal/overwrite An existing file is rejected unless overwriting is requested', async () => {
  const journal = newFile()
  writeFileSync(journal, 'from before', { mode: 0o644 })
  await expect(startEmulator({ journal })).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(/already exists.*--overwrite/),
  })
  expect(readFileSync(journal, 'utf8')).toBe('from before')
  const server = await startEmulator({ journal, overwrite: true })
  await server.close()
  expect(JSON.parse(readFileSync(journal, 'utf8'))).toMatchObject({ first: 0 })
  expect(statSync(journal).mode & 0o777).toBe(0o600)
})

test.skipIf(!existsSync('/dev/full'))(
  'journal/full-disk A full disk ends the journal with one line, and the server goes on',
  async () => {
    const full = ['--journal', '/dev/full', '--overwrite']
    const command = start('serve', '--port=0', '--json', '--quiet', ...full)
    const { url } = JSON.parse(await command.says(/\n/)) as { url: string }
    for (let count = 0; count < 3; count++) expect((await fetch(`${url}/queue`)).status).toBe(200)
    command.process.kill('SIGTERM')
    const { code, stderr } = await command.ends
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^flowdouble: .*ENOSPC.*\n$/)])
  },
)

test('journal/long-secret A secret of many megabytes is hidden in an answer, and does not keep it back', async () => {
  const journal = newFile()
  const server = await startEmulator({ journal })
  const secret = 'k'.repeat(2e7)
  const body = JSON.stringify({ own: { api_key_comfy_org: secret } })
  await fetch(`${server.url}/settings`, { method: 'POST', body })
  expect((await fetch(`${server.url}/settings`)).status).toBe(200)
  await server.close()
  const [last = ''] = readFileSync(journal, 'utf8').trimEnd().split('\n').slice(-1)
  expect(JSON.parse(last).effects[0]).toMatchObject({ status: 200 })
  expect(last.includes(secret)).toBe(false)
})

test('journal/full-file A full disk leaves a file of whole lines that replay', async () => {
  const journal = newFile()
  // The shell counts blocks of 512 or 1024 bytes.
  const limit = 'ulimit -f 40'
  const still = ['--quiet', '--clock', 'instant']
  const command = startLimited(limit, 'serve', '--port=0', '--json', ...still, '--journal', journal)
  const { url } = JSON.parse(await command.says(/\n/)) as { url: string }
  for (let count = 0; count < 200; count++)
    expect((await fetch(`${url}/models/vae?${count}`)).status).toBe(200)
  const kept = (await (await fetch(`${url}/_flowdouble/journal`)).text()).trimEnd().split('\n')
  command.process.kill('SIGTERM')
  const { code, stderr } = await command.ends
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^flowdouble: .*EFBIG.*\n$/)])
  expect(kept).toHaveLength(201)
  const { entries, differs } = replay(readFileSync(journal, 'utf8'))
  expect([entries > 10, entries < 200, differs]).toEqual([true, true, null])
})

test('journal/cut A last line that was cut off is left out, wherever it was cut', async () => {
  const subject = await startSubject({ clock: 'instant' })
  await subject.submit(solid())
  await subject.get('/queue')
  const lines = await subject.emulator!.journal()
  await subject.close()
  const text = `${lines.join('\n')}\n`
  const last = lines.at(-1) ?? ''
  const entries = lines.length - 1
  expect(replay(text)).toEqual({ entries, differs: null })
  expect(replay(text.slice(0, -1))).toEqual({ entries, differs: null })
  for (let missing = 2; missing <= last.length; missing++) {
    expect(replay(text.slice(0, -missing))).toEqual({ entries: entries - 1, differs: null })
  }
  const broken = [...lines.slice(0, 2), '{"input":', ...lines.slice(2)]
  expect(() => replay(broken)).toThrow(/^Entry 1 of the journal is not valid JSON/)
  for (const none of ['', '{', 'null', '[]', '{"flowdouble": "journal 2"}'])
    expect(() => replay(none)).toThrow(/^This is not a journal of a server/)
})

test('journal/other-charsets A key is hidden whatever the charset of the body', async () => {
  const subject = await startSubject({ clock: 'instant' })
  const text = JSON.stringify({ prompt: solid(), extra_data: { api_key_comfy_org: 'SECRET' } })
  const utf16 = Buffer.from(text, 'utf16le')
  const post = async (body: Buffer, charset: string): Promise<number> => {
    const headers = { 'Content-Type': `application/json; charset=${charset}` }
    return (await fetch(`${subject.url}/prompt`, { method: 'POST', headers, body })).status
  }
  expect(await post(utf16, 'utf-16le')).toBe(200)
  expect(await post(utf16, 'utf-8')).toBe(500)
  expect(await post(Buffer.concat([Buffer.from(text), Buffer.from([0xff])]), 'utf-8')).toBe(500)
  const lines = await subject.emulator!.journal()
  await subject.close()
  const bodies = lines.slice(1).map((line) => JSON.parse(line).input.bodyBase64 ?? '')
  const decoded = bodies.map((body) => Buffer.from(body, 'base64').toString('latin1'))
  expect((lines.join('') + decoded.join('')).replaceAll('\0', '')).not.toContain('SECRET')
  expect(replay(lines.join('\n'), objectInfo)).toEqual({ entries: lines.length - 1, differs: null })
})

test('journal/kept-when-not-started A server that cannot start leaves an older journal alone', async () => {
  const journal = newFile()
  writeFileSync(journal, 'from before')
  const first = await startEmulator()
  await expect(startEmulator({ port: first.port, journal })).rejects.toThrow(/EADDRINUSE/)
  await first.close()
  expect(readFileSync(journal, 'utf8')).toBe('from before')
})

test('journal/replay-as-given A journal replays as its server returns it and as its file has it, with the built-in catalogue', async () => {
  const journal = newFile()
  const subject = await startSubject({ clock: 'instant', journal })
  await subject.submit(solid())
  const lines = await subject.emulator!.journal()
  await subject.close()
  const entries = lines.length - 1
  expect(entries).toBeGreaterThan(1)
  expect(replay(lines)).toEqual({ entries, differs: null })
  expect(replay(readFileSync(journal, 'utf8'))).toEqual({ entries, differs: null })
  expect(replay(lines, '{}').differs).not.toBeNull()
})

test('journal/in-order Requests on one connection are handled in the order in which they were sent', async () => {
  const subject = await startSubject()
  const body = JSON.stringify({ prompt: solid() })
  const host = `Host: ${new URL(subject.url).host}\r\n`
  const post = `POST /prompt HTTP/1.1\r\n${host}Content-Length: ${body.length}\r\n\r\n${body}`
  const socket = connect(Number(new URL(subject.url).port), '127.0.0.1')
  socket.write(`${post}GET /prompt HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  await subject.close()
  expect(Buffer.concat(chunks).toString()).toContain('{"exec_info": {"queue_remaining": 1}}')
})

test('journal/replays What clients send in unusual spelling replays, keys and files too', async () => {
  const subject = await startSubject({ clock: 'instant' })
  const key = { api_key_comfy_org: 'SECRET-1' }
  const bodies = [
    { prompt: solid(), extra_data: key },
    { prompt: solid(1), api_key_comfy_org: 'SECRET-2', extra_data: { deep: [{ ...key }] } },
    { prompt: solid(2), extra_data: { api_key_partner_org: ['SECRET-3'] } },
    { prompt: solid(3), extra_data: [key] },
  ]
  for (const body of bodies) expect((await subject.post('/prompt', body)).status).toBe(200)
  const broken = '{"extra_data":{"api_\\u006bey_comfy_org":"SECRET-4"}'
  expect((await subject.request('POST', '/prompt', broken)).status).toBe(500)
  await subject.request('POST', '/userdata/a.json', '{"a":"\\u00e9","a":2}')
  await subject.get('/userdata/a.json')
  await subject.upload({ name: 'a.txt', bytes: Buffer.from('api_key_comfy_org') })
  expect((await subject.get('/history')).text).not.toContain('SECRET')
  const lines = await subject.emulator!.journal()
  await subject.close()
  expect(lines.join('')).not.toContain('SECRET')
  expect(replay(lines.join('\n'), objectInfo)).toEqual({ entries: lines.length - 1, differs: null })
})

test('journal/token A token in a wrong place is hidden too', async () => {
  const subject = await startSubject({ token: 'long-enough-token' })
  await subject.get('/queue?x=long-enough-token')
  await subject.get('/userdata/long-enough-token')
  const lines = await subject.emulator!.journal()
  await subject.close()
  expect(lines.join('')).not.toContain('long-enough-token')
})

test('journal/links The journal of a hosted server replays, including its links and their leaks', async () => {
  const subject = await startSubject({ deployment: 'hosted', strictSignedLinks: true })
  const { name } = (await subject.upload({ name: 'a.txt', bytes: Buffer.from('a') })).json()
  await subject.submit(solid())
  await subject.idle()
  const link = await linkTo(subject, name)
  await fetchLink(link, { Range: 'bytes=0-0' })
  await fetchLink(link, { 'X-API-Key': 'SECRET-1', Authorization: 'Basic SECRET-2' })
  await subject.emulator!.advance(3_601_000)
  await fetchLink(link, {}, 'HEAD')
  const lines = await subject.emulator!.journal()
  await subject.close()
  expect(lines.join('')).not.toContain('SECRET')
  expect(lines.filter((line) => line.includes('"kind":"leak"'))).toHaveLength(1)
  expect(replay(lines.join('\n'), objectInfo)).toEqual({ entries: lines.length - 1, differs: null })
})
