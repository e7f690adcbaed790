// The files of a front end beside the endpoints of a local server: what a browser gets, and what nobody gets.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEmulator } from 'flowdouble'
import { slow } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves, test, testToken } from '../../judge/proves.ts'
import { dial, exchange } from '../../judge/wire.ts'
import { folder } from '../../support/folder.ts'
import { fileOf } from '../../support/spawned.ts'
import { SECRET, writeSite } from './site.ts'

const { webRoot, templates } = writeSite()
const site = { webRoot, clock: 'manual' } as const
const page = '<!doctype html><title>A front end</title>'

proves(
  'pages/front-end',
  async ({ url }) => {
    for (const path of ['/', '/?from=here', '/api/', '/index.html', '/index.html/']) {
      const { status, header, body } = await exchange(url, 'GET', path)
      expect([path, status, header('Content-Type'), body]).toEqual([path, 200, 'text/html', page])
      const isFile = path.startsWith('/index')
      expect([path, header('Cache-Control')]).toEqual([path, isFile ? undefined : 'no-cache'])
    }
    const script = await exchange(url, 'GET', '/assets/app.js?v=1')
    expect([script.status, script.body]).toEqual([200, 'export const zero = 0\n'])
    expect(script.header('Cache-Control')).toBe('no-cache')
    const odd = await exchange(url, 'GET', '/assets/a%20b+%C3%BC.txt')
    expect([odd.status, odd.body]).toEqual([200, 'a name with more than letters'])
    expect((await exchange(url, 'GET', '/inner.js')).body).toBe('export const zero = 0\n')
    expect((await exchange(url, 'GET', '/api/assets/app.js')).status).toBe(404)
  },
  site,
)

proves(
  'pages/endpoints-first',
  async ({ url, get }) => {
    expect((await get('/queue')).json()).toEqual({ queue_running: [], queue_pending: [] })
    expect((await exchange(url, 'GET', '/interrupt')).status).toBe(404)
    expect((await exchange(url, 'DELETE', '/queue')).status).toBe(405)
    expect((await exchange(url, 'GET', '/internal/logs')).body).not.toContain('another')
    expect((await exchange(url, 'POST', '/assets/app.js')).status).toBe(405)
    expect((await exchange(url, 'OPTIONS', '/assets/app.js')).body).toBe('')
  },
  site,
)

proves(
  'pages/media-types',
  async ({ url }) => {
    const types = {
      '/assets/app.js': 'application/javascript',
      '/assets/part.mjs': 'application/javascript',
      '/assets/app.js.map': 'application/json',
      '/user.css': 'text/css',
      '/assets/font.woff2': 'font/woff2',
      '/assets/icon.svg': 'image/svg+xml',
      '/assets/a%20b+%C3%BC.txt': 'text/plain',
      '/assets/unknown.thing': 'application/octet-stream',
    }
    for (const [path, type] of Object.entries(types))
      expect([path, (await exchange(url, 'GET', path)).header('Content-Type')]).toEqual([
        path,
        type,
      ])
  },
  site,
)

proves(
  'pages/conditions',
  async ({ url }) => {
    const ask = (headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
      exchange(url, method, '/assets/long.bin', headers)
    const length = 300_000
    const whole = await ask()
    const [tag = '', date = ''] = [whole.header('ETag'), whole.header('Last-Modified')]
    expect(tag).toMatch(/^"[0-9a-f]+-493e0"$/)
    expect(Date.parse(date)).toBeGreaterThan(0)
    expect([whole.status, whole.header('Content-Length')]).toEqual([200, `${length}`])
    expect(whole.header('Accept-Ranges')).toBe('bytes')
    for (const headers of [{ 'If-None-Match': tag }, { 'If-Modified-Since': date }]) {
      const same = await ask(headers)
      expect([headers, same.status, same.body]).toEqual([headers, 304, ''])
    }
    expect((await ask({ 'If-Match': '"other"' })).status).toBe(412)
    for (const [Range, sent, text] of [
      ['bytes=65-67', '65-67', 'ABC'],
      ['bytes=-3', '299997-299999', String.fromCharCode(52, 53, 54)],
      ['bytes=299999-400000', '299999-299999', String.fromCharCode(54)],
    ] as const) {
      const part = await ask({ Range })
      expect([part.status, part.header('Content-Range')]).toEqual([206, `bytes ${sent}/${length}`])
      expect([Range, part.body]).toEqual([Range, text])
    }
    const beyond = await ask({ Range: 'bytes=300000-' })
    expect([beyond.status, beyond.header('Content-Range')]).toEqual([416, `bytes */${length}`])
    const head = await ask({}, 'HEAD')
    expect([head.status, head.header('Content-Length'), head.body]).toEqual([200, `${length}`, ''])
    expect(head.header('ETag')).toBe(tag)
    const empty = await exchange(url, 'GET', '/assets/empty.txt')
    expect([empty.status, empty.header('Content-Length')]).toEqual([200, '0'])
    const bytes = new Uint8Array(await (await fetch(`${url}/assets/long.bin`)).arrayBuffer())
    expect(Buffer.compare(bytes, readFileSync(join(webRoot, 'assets/long.bin')))).toBe(0)
  },
  site,
)

proves(
  'pages/stays-inside',
  async ({ url, get }) => {
    const outside = [
      '/../secret.txt',
      '/assets/../../secret.txt',
      '/..%2fsecret.txt',
      '/%2e%2e/secret.txt',
      '/assets/%2e%2e/%2e%2e/secret.txt',
      '/..%5csecret.txt',
      '/..\\secret.txt',
      '/assets\\..\\..\\secret.txt',
      '/%252e%252e/secret.txt',
      '/.%00./secret.txt',
      '/assets/app.js%00',
      '/assets/app.js%00.html',
      '//secret.txt',
      '/%2fsecret.txt',
      '//etc/passwd',
      '/%2fetc/passwd',
      '/site-of-others/secret.txt',
      '/outer.txt',
      '/others/secret.txt',
      '/nowhere',
      '/round',
      '/./index.html',
      '/assets/../index.html',
      '/assets//app.js',
      '/assets/app.js/index.html',
      '/%ff',
      '/%c0%ae%c0%ae/secret.txt',
      '/%',
      '/%u002e%u002e/secret.txt',
      `/${'a/'.repeat(2000)}b`,
      `/${'a'.repeat(4000)}`,
      '/...',
      '/templates/../index.html',
      '/templates/..%2findex.html',
      '/templates/index.json',
    ]
    for (const path of outside) {
      const { status, body } = await exchange(url, 'GET', path)
      expect([path, status]).toEqual([path, 404])
      expect(body).not.toContain(SECRET)
      expect(body).not.toContain('root:')
    }
    expect((await get('/queue')).status).toBe(200)
  },
  site,
)

proves(
  'pages/folder',
  async ({ url }) => {
    // Nobody writes to the pipe: opening it would never end.
    for (const path of ['/assets', '/assets/', '/extensions/pack', '/pipe']) {
      const { status, header, body } = await exchange(url, 'GET', path)
      expect([path, status, body]).toEqual([path, 403, '403: Forbidden'])
      expect(header('Content-Type')).toBe('text/plain; charset=utf-8')
    }
    const head = await exchange(url, 'HEAD', '/assets')
    expect([head.status, head.header('Content-Length'), head.body]).toEqual([403, '14', ''])
  },
  site,
)

proves(
  'pages/access',
  async ({ url }) => {
    const foreign = { Host: '127.0.0.1:8188', Origin: 'http://evil.example' }
    for (const path of ['/', '/assets/app.js'])
      expect((await exchange(url, 'GET', path, foreign)).status).toBe(403)
  },
  site,
)

proves(
  'pages/access',
  async ({ raw }) => {
    const auth = { Authorization: `Bearer ${testToken}` }
    expect((await raw('GET', '/assets/app.js')).status).toBe(401)
    expect((await raw('GET', '/assets/app.js', '', auth)).status).toBe(200)
  },
  { ...site, token: testToken },
)

proves(
  'pages/access',
  async ({ url }) => {
    const { header } = await exchange(url, 'GET', '/assets/app.js')
    expect(header('Access-Control-Allow-Origin')).toBe('http://localhost:5173')
  },
  { ...site, cors: 'http://localhost:5173' },
)

proves(
  'pages/not-recorded',
  async ({ url, emulator, submit }) => {
    await submit(slow())
    const before = await emulator!.journal()
    for (const path of ['/', '/assets/app.js', '/assets', '/inner.js'])
      await exchange(url, 'GET', path)
    expect(await emulator!.journal()).toEqual(before)
    expect(await emulator!.requests({ path: '/' })).toEqual([])
    // What is not there is an unknown path of the world.
    await exchange(url, 'GET', '/gone.js')
    expect(await emulator!.journal()).toHaveLength(before.length + 1)
  },
  site,
)

const scripts = ['/extensions/a.js', '/extensions/pack/b.js', '/extensions/pack/deep/c%20d.js']
proves(
  'pages/scripts',
  async ({ url, get }) => {
    expect((await get('/extensions')).json()).toEqual(scripts)
    for (const path of scripts) expect((await exchange(url, 'GET', path)).status).toBe(200)
  },
  site,
)

for (const options of [{ templates }, { ...site, templates }])
  proves(
    'pages/templates',
    async ({ url }) => {
      const list = await exchange(url, 'GET', '/templates/index.json')
      expect([list.status, list.body]).toEqual([200, '[]'])
      expect(list.header('Content-Type')).toBe('application/json')
      expect(list.header('Cache-Control')).toBe('no-cache')
      expect((await exchange(url, 'GET', '/templates/first.json')).body).toBe('{"nodes": []}')
      for (const path of ['/templates/none.json', '/templates/..%2fsecret.txt', '/templates/'])
        expect([path, (await exchange(url, 'GET', path)).status]).toEqual([path, 404])
    },
    options,
  )

// A client that disconnects in the middle leaves no open file, and other clients unharmed.
test('pages/conditions Transfers that are broken off end without a trace.', async () => {
  const emulator = await startEmulator(site)
  const cut = async (at: number): Promise<void> => {
    const socket = dial(emulator.url)
    socket.on('error', () => socket.destroy())
    socket.write('GET /assets/long.bin HTTP/1.1\r\nHost: x\r\n\r\n')
    if (at % 2 === 0) await once(socket, 'data')
    socket.destroy()
    await once(socket, 'close')
  }
  await Promise.all(Array.from({ length: 40 }, (_, at) => cut(at)))
  expect((await exchange(emulator.url, 'GET', '/assets/long.bin')).status).toBe(200)
  await emulator.close()
})

// Worlds share the listener, and so its front end; their requests stay their own.
test('pages/front-end A world below /w/NAME shows the front end too, which then talks to that world.', async () => {
  const emulator = await startEmulator(site)
  const world = await emulator.world({ name: 'mine' })
  expect((await exchange(emulator.url, 'GET', '/w/mine/')).body).toBe(page)
  expect((await exchange(emulator.url, 'GET', '/w/mine/assets/app.js')).status).toBe(200)
  expect((await exchange(emulator.url, 'GET', '/w/mine/outer.txt')).status).toBe(404)
  const alone = await emulator.world({ name: 'alone', port: 0 })
  expect((await exchange(alone.url, 'GET', '/')).body).toBe(page)
  expect(await (await fetch(`${world.url}/extensions`)).json()).toEqual(scripts)
  await emulator.close()
})

test('serve/web-root A folder that cannot be served is rejected before the server listens.', async () => {
  const wrong = [
    [{ webRoot: join(webRoot, 'gone') }, /folder of --web-root cannot be used: ENOENT/],
    [{ webRoot: join(webRoot, 'index.html') }, /--web-root cannot be used: ENOTDIR/],
    [{ webRoot: folder() }, /has no index\.html: .*\. Get a front end with: pip install/],
    [{ webRoot: '' }, /webRoot cannot be ""/],
    [{ webRoot: {} as never }, /webRoot cannot be \{\}/],
    [{ templates: fileOf({}) }, /--templates cannot be used: ENOTDIR/],
    [{ webRoot, deployment: 'hosted' as const }, /applies to local servers only/],
  ] as const
  for (const [options, says] of wrong) await expect(startEmulator(options)).rejects.toThrow(says)
})
