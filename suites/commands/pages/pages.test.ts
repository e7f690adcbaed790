// The files of a front end beside the endpoints of a local server: what a browser gets, and what nobody gets.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEmulator } from 'flowdouble'
import request, { type Response } from 'supertest'
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

/** Fails for a response that has a header. */
const lacks = (name: string) => (response: Response) => expect(response.get(name)).toBeUndefined()

proves(
  'pages/front-end',
  async ({ url }) => {
    const client = request(url)
    for (const path of ['/', '/?from=here', '/api/'])
      await client
        .get(path)
        .expect(200, page)
        .expect('Content-Type', 'text/html')
        .expect('Cache-Control', 'no-cache')
    for (const path of ['/index.html', '/index.html/'])
      await client.get(path).expect(200, page).expect(lacks('Cache-Control'))
    await client
      .get('/assets/app.js?v=1')
      .expect(200, 'export const zero = 0\n')
      .expect('Cache-Control', 'no-cache')
    await client.get('/assets/a%20b+%C3%BC.txt').expect(200, 'a name with more than letters')
    await client.get('/inner.js').expect(200, 'export const zero = 0\n')
    await client.get('/api/assets/app.js').expect(404)
  },
  site,
)

proves(
  'pages/endpoints-first',
  async ({ url }) => {
    const client = request(url)
    await client.get('/queue').expect(200, { queue_running: [], queue_pending: [] })
    await client.get('/interrupt').expect(404)
    await client.delete('/queue').expect(405)
    await client.get('/internal/logs').expect(200, /^(?!.*another)/)
    await client.post('/assets/app.js').expect(405)
    await client.options('/assets/app.js').expect(200, '')
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
      await request(url).get(path).expect('Content-Type', type)
  },
  site,
)

proves(
  'pages/conditions',
  async ({ url }) => {
    const ask = (headers: Readonly<Record<string, string>> = {}) =>
      request(url).get('/assets/long.bin').set(headers)
    const length = 300_000
    const whole = await ask()
      .expect(200)
      .expect('Content-Length', `${length}`)
      .expect('Accept-Ranges', 'bytes')
    expect(Buffer.compare(whole.body, readFileSync(join(webRoot, 'assets/long.bin')))).toBe(0)
    const [tag, date] = [whole.get('ETag')!, whole.get('Last-Modified')!]
    expect(tag).toMatch(/^"[0-9a-f]+-493e0"$/)
    expect(Date.parse(date)).toBeGreaterThan(0)
    await ask({ 'If-None-Match': tag }).expect(304, Buffer.from(''))
    await ask({ 'If-Modified-Since': date }).expect(304, Buffer.from(''))
    await ask({ 'If-Match': '"other"' }).expect(412)
    for (const [range, sent, text] of [
      ['bytes=65-67', '65-67', 'ABC'],
      ['bytes=-3', '299997-299999', '456'],
      ['bytes=299999-400000', '299999-299999', '6'],
    ] as const)
      await ask({ Range: range })
        .expect(206, Buffer.from(text))
        .expect('Content-Range', `bytes ${sent}/${length}`)
    await ask({ Range: 'bytes=300000-' }).expect(416).expect('Content-Range', `bytes */${length}`)
    await request(url)
      .head('/assets/long.bin')
      .expect(200)
      .expect('Content-Length', `${length}`)
      .expect('ETag', tag)
    await request(url).get('/assets/empty.txt').expect(200, '').expect('Content-Length', '0')
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
    for (const path of ['/assets', '/assets/', '/extensions/pack', '/pipe'])
      await request(url)
        .get(path)
        .expect(403, '403: Forbidden')
        .expect('Content-Type', 'text/plain; charset=utf-8')
    await request(url).head('/assets').expect(403).expect('Content-Length', '14')
  },
  site,
)

proves(
  'pages/access',
  async ({ url }) => {
    for (const path of ['/', '/assets/app.js'])
      await request(url)
        .get(path)
        .set('Host', '127.0.0.1:8188')
        .set('Origin', 'http://evil.example')
        .expect(403)
  },
  site,
)

proves(
  'pages/access',
  async ({ url }) => {
    await request(url).get('/assets/app.js').expect(401)
    await request(url).get('/assets/app.js').auth(testToken, { type: 'bearer' }).expect(200)
  },
  { ...site, token: testToken },
)

proves(
  'pages/access',
  async ({ url }) => {
    const origin = 'http://localhost:5173'
    await request(url).get('/assets/app.js').expect('Access-Control-Allow-Origin', origin)
  },
  { ...site, cors: 'http://localhost:5173' },
)

proves(
  'pages/not-recorded',
  async ({ url, emulator, submit }) => {
    await submit(slow())
    const before = await emulator!.journal()
    for (const path of ['/', '/assets/app.js', '/assets', '/inner.js']) await request(url).get(path)
    expect(await emulator!.journal()).toEqual(before)
    expect(await emulator!.requests({ path: '/' })).toEqual([])
    // What is not there is an unknown path of the world.
    await request(url).get('/gone.js').expect(404)
    expect(await emulator!.journal()).toHaveLength(before.length + 1)
  },
  site,
)

const scripts = ['/extensions/a.js', '/extensions/pack/b.js', '/extensions/pack/deep/c%20d.js']
proves(
  'pages/scripts',
  async ({ url }) => {
    await request(url).get('/extensions').expect(200, scripts)
    for (const path of scripts) await request(url).get(path).expect(200)
  },
  site,
)

for (const options of [{ templates }, { ...site, templates }])
  proves(
    'pages/templates',
    async ({ url }) => {
      const client = request(url)
      await client
        .get('/templates/index.json')
        .expect(200, '[]')
        .expect('Content-Type', 'application/json')
        .expect('Cache-Control', 'no-cache')
      await client.get('/templates/first.json').expect(200, '{"nodes": []}')
      for (const path of ['/templates/none.json', '/templates/..%2fsecret.txt', '/templates/'])
        await client.get(path).expect(404)
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
  await request(emulator.url).get('/assets/long.bin').expect(200)
  await emulator.close()
})

// Worlds share the listener, and so its front end; their requests stay their own.
test('pages/front-end A world below /w/NAME shows the front end too, which then talks to that world.', async () => {
  const emulator = await startEmulator(site)
  const world = await emulator.world({ name: 'mine' })
  const client = request(emulator.url)
  await client.get('/w/mine/').expect(200, page)
  await client.get('/w/mine/assets/app.js').expect(200)
  await client.get('/w/mine/outer.txt').expect(404)
  const alone = await emulator.world({ name: 'alone', port: 0 })
  await request(alone.url).get('/').expect(200, page)
  await request(world.url).get('/extensions').expect(200, scripts)
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
