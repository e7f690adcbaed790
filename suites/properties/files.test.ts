// What holds for every file name: nothing leaves the three folders, and every upload can be read back.

import { posix } from 'node:path'
import * as fc from 'fast-check'
import { encode } from 'fast-png'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServer, stepServer as step } from '../../dist/emulator/internal.js'
import { both } from '../../spec/language.ts'
import { formOf, type Part, viewPath } from '../generate/form.ts'
import { smallWorld } from '../support/small-world.ts'
import { startSubject, type Subject } from '../judge/subject.ts'
import type { Reply } from '../judge/reply.ts'
import { anyText } from '../generate/texts.ts'
import { runs } from '../support/effort.ts'

const folders = ['input', 'output', 'temp'] as const
const run = { seed: 20260101 }

/** Pieces from which names of attacks are made, and harmless ones. */
const attacks = ['..', '.', '/', '\\', '\0', '%2e%2e', '%2f', '%00', '%', '%252e', '//', 'C:', '~']
const words = ['a', 'b', 'canary.txt', 'sub', 'x.png', ' ', 'ž', '☃', '\u202e', '\u{1f600}', "'"]
const others = ['\r\n', ';', '=', '[input]', ' [output]', 'etc/passwd', 'proc/self/environ']
const piece = fc.constantFrom(...attacks, ...words, ...others, 'package.json', 'n'.repeat(300))
const name = fc.oneof(
  fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
  anyText(20),
  fc.integer({ min: 1000, max: 2000 }).map((length) => 'long'.repeat(length / 4)),
)
const type = fc.oneof(fc.constantFrom(...folders), name)

/** A file name as a form carries it; a line break in it would end the header. */
const quoted = (text: string) =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll(/[\r\n]/g, '_')

async function upload(
  { request }: Subject,
  filename: string,
  fields: Readonly<Record<string, string>>,
  content: string | Uint8Array,
): Promise<Reply> {
  const parts = Object.entries(fields).map(([field, value]) => ({ name: field, content: value }))
  const image = { name: 'image', filename: quoted(filename), content }
  return request('POST', '/upload/image', ...formOf(...parts, image))
}

/** The query of a view, by the reply to an upload. */
const placeOf = ({ json }: Reply) => {
  const { name: filename, subfolder, type: folder } = json()
  return { filename, subfolder, type: folder }
}

/**
 * Uploads a file to the top of each folder and one below; like everything that is uploaded here, it contains the name
 * of its folder.
 */
async function putCanaries(subject: Subject) {
  const canaries: Readonly<Record<'filename' | 'subfolder' | 'type', string>>[] = []
  for (const folder of folders) {
    for (const subfolder of ['', 'sub']) {
      const fields = { subfolder, type: folder, overwrite: 'true' }
      canaries.push(placeOf(await upload(subject, 'canary.txt', fields, folder)))
    }
  }
  return canaries
}

/** The possible statuses of uploads to known and to other folders, and of views. */
const statuses = {
  local: { known: [200, 400, 500], unknown: [500], view: [200, 400, 403, 404] },
  hosted: { known: [200, 400], unknown: [400], view: [200, 400, 404] },
} as const

describe.each(both)('on %s', (deployment) => {
  let subject: Subject
  beforeAll(async () => {
    subject = await startSubject({ deployment })
  })
  afterAll(() => subject.close())
  const answers = statuses[deployment]
  const some = { ...run, numRuns: runs(deployment === 'hosted' ? 100 : 200) }

  test('files/uploads-stay-inside No upload leaves its folder, whatever its name is.', async () => {
    const canaries = await putCanaries(subject)
    const property = fc.asyncProperty(name, name, type, async (filename, subfolder, folder) => {
      const isKnown = folders.some((known) => known === folder)
      const fields = { subfolder, type: folder, overwrite: 'true' }
      const { status, json } = await upload(subject, filename, fields, folder)
      expect(isKnown ? answers.known : answers.unknown).toContain(status)
      if (status === 200) expect(json()).toMatchObject({ subfolder, type: folder })
      const kept = await Promise.all(canaries.map((canary) => subject.view(canary)))
      expect(kept.map(({ text }) => text)).toEqual(canaries.map((canary) => canary.type))
    })
    await fc.assert(property, { ...run, numRuns: runs(deployment === 'hosted' ? 40 : 80) })
  })

  test('files/views-stay-inside No view reaches a file that was not uploaded, whatever its query is.', async () => {
    const canaries = await putCanaries(subject)
    const asking = fc.oneof(
      { weight: 4, arbitrary: name },
      { weight: 1, arbitrary: fc.constantFrom(...canaries.map(({ filename }) => filename)) },
    )
    const property = fc.asyncProperty(asking, name, type, async (filename, subfolder, folder) => {
      const asked = viewPath({ filename, subfolder, type: folder })
      const raw = `/view?filename=${plain(filename)}&subfolder=${plain(subfolder)}&type=${folders[0]}`
      for (const path of [asked, raw]) {
        const { status, text, headers } = await subject.view(path)
        expect(answers.view).toContain(status)
        const isRefusal = status !== 200 && deployment === 'hosted'
        if (isRefusal) expect(headers['content-type']).toMatch(/^application\/json/)
        else expect(status === 200 ? folders : ['']).toContain(text)
        const isPlain = path === asked && !/\[\w+\]$/.test(filename)
        if (status === 200 && isPlain && deployment === 'local') expect(text).toBe(folder)
      }
    })
    await fc.assert(property, some)
  })

  test('files/uploads-come-back An upload can be read back byte by byte under the name in its reply.', async () => {
    // A separate server, with folders that no name stands for: a file cannot be where a folder is.
    const own = await startSubject({ deployment })
    const taken = new Map<string, { place: Record<string, string>; bytes: Uint8Array }>()
    const usable = (text: string) =>
      !/[/\\\0\r\n"]|\.\.|\[(input|output|temp)\]$/.test(text) && !['', '.'].includes(text)
    const subfolders = fc.constantFrom('', 'one', 'one/two', 'one/./two/', 'one/../one', 'ž ☃ one')
    const property = fc.asyncProperty(
      name.filter(usable),
      subfolders,
      fc.constantFrom(...folders),
      fc.uint8Array({ maxLength: 40 }),
      fc.boolean(),
      async (filename, subfolder, folder, bytes, overwrite) => {
        const fields = { subfolder, type: folder, overwrite: `${overwrite}` }
        const reply = await upload(own, filename, fields, bytes)
        expect(reply.status).toBe(200)
        const place = placeOf(reply)
        expect({ ...place, filename: '' }).toEqual({ filename: '', subfolder, type: folder })
        if (overwrite && deployment === 'local') expect(place.filename).toBe(filename)
        expect(Uint8Array.from((await own.view(place)).bytes)).toEqual(bytes)
        // Two spellings of a subfolder are one folder; hosted has no subfolders.
        const path = posix.join(folder, subfolder, place.filename)
        taken.set(deployment === 'hosted' ? place.filename : path, { place, bytes })
      },
    )
    await fc.assert(property, some)
    // No later upload without overwrite has changed an earlier one, and all names differ.
    for (const { place, bytes } of taken.values()) {
      expect(Uint8Array.from((await own.view(place)).bytes)).toEqual(bytes)
    }
    expect(taken.size).toBeGreaterThan(runs(50))
    await own.close()
  })
})

/** A text as a client writes it that encodes only what a request line cannot contain. */
const plain = (text: string) =>
  text.replaceAll(/[^!-~]|[#&+]/gu, (char) => encodeURIComponent(char))

/** A world that stores this many files, and this many bytes of uploads. */
const worldOf = (fileLimit: number, uploadLimitBytes: number) =>
  createServer({ ...smallWorld, fileLimit, uploadLimitBytes })

/** The status of an upload to this world. */
function sendForm(
  world: ReturnType<typeof worldOf>,
  target: string,
  ...parts: readonly Part[]
): number | null {
  const [body, headers] = formOf(...parts)
  const [reply] = step(world, {
    kind: 'request',
    atMs: 0,
    request: 0,
    method: 'POST',
    target,
    headers: { 'content-type': headers['Content-Type'] ?? '' },
    body: new Uint8Array(body),
  })
  return reply?.kind === 'reply' ? reply.status : null
}

test('files/forgotten-uploads Uploads that were dropped for newer files no longer count.', () => {
  const world = worldOf(3, 10)
  const statuses = ['four', 'four', '1', '1', 'four', 'seven..'].map((content, index) =>
    sendForm(world, '/upload/image', { name: 'image', filename: `${index}`, content }),
  )
  // The fourth drops the first, so that the fifth just fits; it drops the second, and the sixth is too long.
  expect(statuses).toEqual([200, 200, 200, 200, 200, 413])
})

test('files/masks-count A mask counts together with its original, which all its masks share.', () => {
  const content = encode({ width: 1, height: 1, channels: 4, data: Uint8Array.of(1, 2, 3, 4) })
  const world = worldOf(20, 3 * content.length)
  const image = (filename: string) => ({ name: 'image', filename, content })
  const statuses = [sendForm(world, '/upload/image', image('0.png'))]
  // Each is a mask of the previous one, whose original it keeps.
  for (const [index, name] of ['1.png', '2.png', '3.png'].entries()) {
    const reference = JSON.stringify({ filename: `${index}.png`, type: 'input' })
    const original = { name: 'original_ref', content: reference }
    statuses.push(sendForm(world, '/upload/mask', image(name), original))
  }
  expect(statuses).toEqual([200, 200, 200, 413])
})
