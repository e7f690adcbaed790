// The journal: what it keeps, what it never keeps, and when it says that it cannot be replayed.

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replay, startEmulator } from 'flowdouble'
import { expect, test } from 'vitest'
import { solid } from '../generate/graphs.ts'
import { linkTo } from '../judge/links.ts'
import { startSubject } from '../judge/subject.ts'
import { fetchLink } from '../judge/fetch-link.ts'

const objectInfo = readFileSync(join(import.meta.dirname, '../../spec/node-types.json'), 'utf8')
const journalFile = (): string => join(mkdtempSync(join(tmpdir(), 'flowdouble-')), 'journal.jsonl')

test('journal/lost-beginning A journal without its first entries is not replayed', async () => {
  const subject = await startSubject()
  for (let count = 0; count < 1001; count++) await subject.get('/features')
  const lines = await subject.emulator!.journal()
  await subject.close()
  expect(lines).toHaveLength(1001)
  expect(() => replay(lines.join('\n'), objectInfo)).toThrow(/lost its beginning.*--journal/)
})

test('journal/bounded Large replies push older entries out', async () => {
  const subject = await startSubject()
  for (let count = 0; count < 40; count++) await subject.get('/object_info')
  const lines = await subject.emulator!.journal()
  await subject.close()
  expect(lines.length).toBeGreaterThan(5)
  expect(lines.length).toBeLessThan(25)
})

test('journal/other-charsets A key is hidden in whatever charset the body comes', async () => {
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
  const journal = journalFile()
  writeFileSync(journal, 'from before')
  const first = await startEmulator()
  await expect(startEmulator({ port: first.port, journal })).rejects.toThrow(/EADDRINUSE/)
  await first.close()
  expect(readFileSync(journal, 'utf8')).toBe('from before')
})

test('journal/replay-as-given A journal replays as its server gives it and as its file has it, with the built-in catalogue', async () => {
  const journal = journalFile()
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

test('journal/in-order Requests on one connection happen in the order in which they were sent', async () => {
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

test('journal/replays What clients send in their own spelling replays, keys and files too', async () => {
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

test('journal/links What a hosted server does replays, its links and their leaks too', async () => {
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
