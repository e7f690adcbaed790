// Files on hosted: the host that serves signed links, and its name in them.

import { startEmulator } from 'flowdouble'
import { digits, refusalOf } from '../../../judge/hosted/links.ts'
import { ownWorld, proves } from '../../../judge/proves.ts'
import type { Subject } from '../../../judge/subject.ts'
import { exchange } from '../../../judge/wire.ts'
import { expect } from '../../../judge/expect.ts'
import { fetchLink } from '../../../judge/http-client.ts'

/** The links that a server returns to clients that use this host name. */
async function linkFor({ url }: Subject, host: string): Promise<URL> {
  const headers = { Host: host, 'X-API-Key': 'test-key' }
  const { header } = await exchange(url, 'GET', '/api/view?filename=example.png', headers)
  return new URL(header('Location') ?? '')
}

proves(
  'files/hosted-link-host',
  async (subject) => {
    const port = subject.emulator!.port
    const name = async (host: string) => (await linkFor(subject, host)).hostname
    expect(await name(`127.0.0.1:${port}`)).toBe('localhost')
    expect(await name('127.0.0.1')).toBe('localhost')
    expect(await name(`localhost:${port}`)).toBe('127.0.0.1')
    expect(await name('flowdouble:8189')).toBe('127.0.0.1')
    expect(await name(`[::1]:${port}`)).toBe('127.0.0.1')
    expect(await name('127.0.0.1.example:80')).toBe('127.0.0.1')
    for (const host of ['127.0.0.1', 'localhost']) {
      expect((await fetchLink((await linkFor(subject, host)).href)).status).toBe(200)
    }
  },
  ownWorld,
)

proves(
  'files/hosted-link-host',
  async ({ emulator }) => {
    const { signedUrl, port, close } = await startEmulator({
      deployment: 'hosted',
      clock: 'manual',
    })
    await close()
    expect(Number(new URL(signedUrl ?? '').port)).not.toBe(port)
    // Local has none.
    const main = await startEmulator({ clock: 'manual' })
    expect(main.signedUrl).toBeNull()
    await main.close()
    const last = startEmulator({ deployment: 'hosted', port: 65535 })
    await expect(last).rejects.toMatchObject({ code: 'USAGE' })
    // On an explicit port a server serves them at the next one.
    const linksPort = Number(new URL(emulator!.signedUrl ?? '').port)
    const taken = startEmulator({ deployment: 'hosted', port: linksPort - 1 })
    await expect(taken).rejects.toMatchObject({ code: 'EADDRINUSE', port: linksPort })
  },
  { seed: 'links' },
)

proves(
  'files/hosted-link-base',
  async (subject) => {
    const { link } = await digits(subject)
    expect(link).toMatch(/^https:\/\/storage\.example:444\/test-user\/\w+\.txt\?X-Goog-/)
    expect(subject.emulator!.signedUrl).toBe('https://storage.example:444')
    const wrong = ['ftp://a', 'http://a/b', 'http://a?b', 'storage', 'http://u@a', '']
    for (const signedBaseUrl of wrong) {
      const started = startEmulator({ deployment: 'hosted', signedBaseUrl })
      await expect(started).rejects.toMatchObject({ code: 'USAGE' })
    }
  },
  { signedBaseUrl: 'https://storage.example:444/' },
)

proves('files/hosted-link-signed-host', async (subject) => {
  const { link } = await digits(subject)
  const { origin, host, port, pathname, search } = new URL(link)
  const statusFor = async (named: string) =>
    (await exchange(origin, 'GET', pathname + search, { Host: named })).status
  expect(await statusFor(host)).toBe(200)
  expect(await statusFor(host.toUpperCase())).toBe(200)
  for (const other of [`127.0.0.1:${port}`, 'localhost', `[::1]:${port}`, 'storage', '']) {
    expect([other, await statusFor(other)]).toEqual([other, 403])
  }
  // Not even if another link names that host.
  const changed = link.replace(host, `127.0.0.1:${port}`)
  expect(refusalOf(await fetchLink(changed))).toEqual([403, 'SignatureDoesNotMatch'])
})

proves(
  ['files/hosted-link-signed-host', 'files/hosted-link-base'],
  async (subject) => {
    const { link } = await digits(subject)
    const [header = ''] = await subject.emulator!.journal()
    const origin = `http://127.0.0.1:${JSON.parse(header).options.signedLinks.port}`
    const { pathname, search } = new URL(link)
    const statusFor = async (named: string) =>
      (await exchange(origin, 'GET', pathname + search, { Host: named })).status
    expect(await statusFor('storage.example')).toBe(200)
    expect(await statusFor('Storage.Example:443')).toBe(200)
    expect(await statusFor('storage.example:444')).toBe(403)
    expect(await statusFor(new URL(origin).host)).toBe(403)
  },
  { signedBaseUrl: 'https://storage.example:443' },
)
