// Files on hosted: a view returns a link to a file, never the file.

import { decode } from 'fast-png'
import { endpoints } from '../../../../spec/server/endpoints.ts'
import { folderTypes } from '../../../../spec/server/files.ts'
import type { Endpoint } from '../../../../spec/language.ts'
import { viewPath } from '../../../generate/form.ts'
import { type Graph, solid } from '../../../generate/graphs.ts'
import { refused } from '../../../judge/hosted/refusals.ts'
import { fetchFile, linkTo } from '../../../judge/hosted/links.ts'
import { proves, provesQuirk, twoAccounts } from '../../../judge/proves.ts'
import { exchanges, toEach } from '../../../judge/rows.ts'
import type { Subject } from '../../../judge/subject.ts'
import { expect } from '../../../judge/expect.ts'
import { fetchLink } from '../../../judge/http-client.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Uploads a text, and returns its name. */
const put = async ({ upload }: Subject, text: string): Promise<string> =>
  (await upload({ name: 'a.txt', bytes: bytesOf(text) })).json().name

/** The name of the picture that a run saves. */
async function savedBy(subject: Subject, graph: Graph): Promise<string> {
  const { messages } = await subject.run(await subject.connect(), graph)
  const output: any = messages.find(({ type }) => type === 'executed')?.data['output']
  return output.images[0].filename
}

proves(['files/hosted-view', 'files/hosted-signed-url'], async (subject) => {
  const name = await put(subject, 'the bytes')
  for (const [method, more] of [
    ['GET', {}],
    ['HEAD', {}],
    ['GET', { channel: 'rgb' }],
    ['GET', { res: '64' }],
    ['GET', { preview: 'webp;90' }],
  ] as const) {
    const reply = await subject.request(method, viewPath({ filename: name, ...more }))
    expect({ more, status: reply.status, text: reply.text }).toEqual({
      more,
      status: 302,
      text: '',
    })
    const link = new URL(reply.headers['location'] ?? '')
    expect(link.hostname).not.toBe(new URL(subject.url).hostname)
    const { status, text, headers } = await fetchLink(link.href)
    expect([status, text, headers.get('content-type')]).toEqual([200, 'the bytes', 'text/plain'])
    expect(link.href).not.toContain('test-key')
  }
})

proves('files/hosted-view', async (subject) => {
  const saved = await savedBy(subject, solid(0xff8000))
  const { width, data } = decode(await fetchFile(subject, saved))
  expect([width, ...data.slice(0, 3)]).toEqual([64, 0xff, 0x80, 0])
})

const unlinked = { location: undefined }

proves(
  'files/hosted-view-missing',
  async (subject) => {
    const mine = await put(subject, 'mine')
    const other = subject.as('other-key')
    const theirs = await put(other, 'theirs')
    expect((await subject.get(viewPath({ filename: mine }))).status).toBe(302)
    expect((await other.get(viewPath({ filename: theirs }))).status).toBe(302)
    const paths = ['none.png', '..', '/', `../${mine}`, `./${mine}`, `/${mine}`, `input/${mine}`]
    const changed = [`${mine}\0`, mine.toUpperCase(), mine.slice(0, -1), ` ${mine}`]
    const none = [theirs, ...paths, ...changed].map((filename) => viewPath({ filename }))
    await exchanges(subject, toEach(none, 'GET', 404, ...refused(expect.any(String), unlinked)))
    expect((await other.get(viewPath({ filename: mine }))).status).toBe(404)
  },
  twoAccounts,
)

proves('files/hosted-view-bad', async (subject) => {
  const filename = await put(subject, 'a')
  const queries: Record<string, string>[] = [
    {},
    { filename: '' },
    { type: 'input' },
    { filename, type: '' },
    { filename, type: 'models' },
    { filename: 'none', type: 'models' },
  ]
  const bad = queries.map((query) => viewPath(query))
  await exchanges(subject, toEach(bad, 'GET', 400, ...refused(expect.any(String))))
})

/** A link without its signature, which differs from second to second. */
const unsigned = (link: string): string => link.replace(/\?.*/, '')

proves('files/hosted-view-flat', async (subject) => {
  const name = await put(subject, 'a')
  const saved = await savedBy(subject, solid(7, 'deep/er'))
  // The time stands still in a world of the suites.
  const comparable = subject.isOwn ? (link: string) => link : unsigned
  for (const filename of [name, saved]) {
    const link = comparable(await linkTo(subject, filename))
    for (const type of folderTypes)
      for (const subfolder of ['', 'deep', '..', '/etc'])
        expect(comparable(await linkTo(subject, filename, { type, subfolder }))).toBe(link)
  }
})

proves('files/hosted-view-only', async (subject) => {
  const filename = await put(subject, 'a')
  const every = Object.values<Endpoint>(endpoints).filter(({ on }) => on.includes('hosted'))
  expect(every.length).toBeGreaterThan(10)
  const redirects: string[] = []
  for (const { method, path, hostedPath, body } of every) {
    const own = `/api${hostedPath ?? path}`.replace(/\{\w+(\.\.\.)?\}/g, 'a')
    const key = { 'X-API-Key': 'test-key' }
    for (const target of [own, `${own}/`, `${own}?filename=${filename}`]) {
      const sent = body === undefined ? undefined : '{}'
      const { status } = await subject.raw(method, target, sent, key)
      if (status >= 300 && status < 400) redirects.push(`${method} ${target}`)
    }
  }
  expect(redirects).toEqual([`GET /api/view?filename=${filename}`])
})

provesQuirk('hosted.view-channel-bytes', async (subject) => {
  const view = (filename: string, values: Readonly<Record<string, string>>) =>
    subject.get(viewPath({ filename, ...values }))
  for (const channel of ['rgb', 'a', 'alpha', 'all']) {
    const shown = await view('example.png', { channel })
    expect(shown).toMatchObject({ status: 200, headers: { 'content-type': 'image/png' } })
    const { width, data } = decode(shown.bytes)
    expect(width).toBe(512)
    // The example is opaque, and its alpha is shown on black.
    if (channel.startsWith('al') && channel !== 'all')
      expect(Array.from(data.slice(0, 4))).toEqual([0, 0, 0, 255])
  }
  const small = await view('example.png', { res: '64' })
  expect(small).toMatchObject({ status: 200, headers: { 'content-type': 'image/jpeg' } })
  const at = small.bytes.indexOf(Buffer.of(0xff, 0xc0))
  expect([small.bytes.readUInt16BE(at + 5), small.bytes.readUInt16BE(at + 7)]).toEqual([64, 64])
  const sizes = ['63', '1025', '100.5', 'x', ''].map((res) =>
    viewPath({ filename: 'example.png', res }),
  )
  await exchanges(subject, [
    ...toEach(sizes, 'GET', 400),
    ['GET', viewPath({ filename: 'example.wav', channel: 'rgb' }), undefined, 400],
    ['GET', viewPath({ filename: 'none.png', channel: 'rgb' }), undefined, 404],
    ['GET', viewPath({ filename: 'example.png' }), undefined, 302],
  ])
})
