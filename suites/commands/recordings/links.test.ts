// The command `record`: redirects and signed links lead through the proxy, and are recorded with their own hosts.

import { test } from 'vitest'
import { startEmulator } from 'flowdouble'
import { expect } from '../../judge/expect.ts'
import { startEcho } from '../../support/servers/echo-server.ts'
import { recorded } from '../../support/recordings/recording.ts'
import { forTest } from '../../support/for-test.ts'

const key = { 'X-API-Key': 'test-key' }

test('record/signed-links The bytes of a hosted view pass through the proxy, and the file has the signed link without its signature', async () => {
  const server = await forTest(startEmulator({ deployment: 'hosted', port: 0, clock: 'instant' }))
  const prompt = {
    '1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 255 } },
    '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'a' } },
  }
  let bytes = Buffer.alloc(0)
  const result = await recorded(server.url, async (url) => {
    const submitted = await fetch(`${url}/api/prompt`, {
      method: 'POST',
      headers: key,
      body: JSON.stringify({ prompt }),
    })
    const { prompt_id } = (await submitted.json()) as { prompt_id: string }
    const job = await (await fetch(`${url}/api/jobs/${prompt_id}`, { headers: key })).json()
    const { filename } = (job as any).outputs['2'].images[0]
    const view = `${url}/api/view?filename=${filename}&type=output&subfolder=`
    const first = await fetch(view, { headers: key, redirect: 'manual' })
    expect(first.headers.get('location')).toMatch(`${url}/_flowdouble/at/0/`)
    bytes = Buffer.from(await (await fetch(first.headers.get('location')!)).arrayBuffer())
  })
  expect(bytes.subarray(1, 4).toString()).toBe('PNG')
  const { exchanges, info } = result.recording()
  const [view, link] = exchanges.slice(-2)
  expect(new URL(link!.url).origin).toBe(server.signedUrl)
  expect(link!.response!.body).toEqual(new Uint8Array(bytes))
  const location = view!.response!.headers.find(([name]) => name === 'Location')![1]
  expect(new URL(location).href).toBe(link!.url)
  expect(new URL(link!.url).searchParams.get('X-Goog-Signature')).toMatch(/^<secret:[0-9a-f]+>$/)
  expect(result.text()).not.toContain('test-key')
  expect(info).toMatchObject({ place: 'hosted' })
})

test('record/redirects Redirects within the server and to other hosts lead through the proxy, without the credentials of the first host', async () => {
  const other = await startEcho({ answer: (_, response) => response.end('there') })
  const own = await startEcho({
    answer: ({ url = '', headers }, response) => {
      const to = { '/own': `http://${headers.host}/a`, '/other': `${other.url}/b?c=d` }[url]
      if (to === undefined) return void response.end('here')
      response.writeHead(302, { Location: to }).end()
    },
  })
  const result = await recorded(own.url, async (url) => {
    const headers = {
      Authorization: 'Bearer of-the-first-host-1',
      Cookie: 'a=b',
      'X-API-Key': 'of-the-first-host-2',
    }
    expect(await (await fetch(`${url}/own`)).text()).toBe('here')
    const reply = await fetch(`${url}/other`, { headers })
    expect(await reply.text()).toBe('there')
    expect(reply.url.startsWith(url)).toBe(true)
    for (const path of ['/_flowdouble/at/1/b', '/_flowdouble/at/x', '/_flowdouble/at/'])
      expect((await fetch(url + path)).status).toBe(404)
  })
  expect(result.recording().exchanges.map(({ url }) => url)).toEqual([
    `${own.url}/own`,
    `${own.url}/a`,
    `${own.url}/other`,
    `${other.url}/b?c=d`,
  ])
  const [arrived] = other.arrived
  expect([arrived?.target, arrived?.rawHeaders.join().includes('of-the-first')]).toEqual([
    '/b?c=d',
    false,
  ])
  expect(result.text()).not.toContain('of-the-first')
})

test('record/json-links Signed links in JSON lead through the proxy, other addresses stay, and the file has both as they were', async () => {
  const storage = await startEcho({ answer: (_, response) => response.end('bytes') })
  const json = (signature: string) =>
    `{ "docs": "https://docs.example/a",\n  "n": 12345678901234567890.0, "url": "${storage.url}/f.png?X-Amz-Signature=${signature}\\u0026e=1" }`
  const own = await startEcho({
    answer: (_, response) => {
      response.setHeader('Content-Type', 'application/json; charset=utf-8')
      response.end(json('sig-1234-5678'))
    },
  })
  let got = ''
  const result = await recorded(own.url, async (url) => {
    got = await (await fetch(`${url}/a`)).text()
    expect(got).toContain('"n": 12345678901234567890.0')
    expect(got).toContain('"https://docs.example/a"')
    const { url: link } = JSON.parse(got) as { url: string }
    expect(link.startsWith(`${url}/_flowdouble/at/0/f.png?`)).toBe(true)
    expect(await (await fetch(link)).text()).toBe('bytes')
  })
  expect(storage.arrived[0]?.target).toBe('/f.png?X-Amz-Signature=sig-1234-5678&e=1')
  const [first, second] = result.recording().exchanges
  const { url } = JSON.parse(Buffer.from(first!.response!.body).toString()) as { url: string }
  expect(new URL(url).href).toBe(second!.url)
  expect(second!.url.startsWith(storage.url)).toBe(true)
  expect(result.text()).not.toContain('sig-1234')
})
