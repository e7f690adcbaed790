// Files on any local server: whole, whatever their size, and in the subfolder in which they were put.

import { decode, encode } from 'fast-png'
import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { withoutAssets } from '../../judge/own-assets.ts'
import { below, orangeIn, passing, put, viewOf } from '../../judge/own-files.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'

const local = { deployment: 'local' } as const

/** A picture that hardly compresses. */
function noise(side: number): Uint8Array {
  const data = new Uint8Array(side * side * 3)
  let state = 1
  for (const at of data.keys()) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    data[at] = state >>> 24
  }
  return encode({ width: side, height: side, channels: 3, data })
}

/** The names and subfolders of files that share parts of their paths. */
const places = [
  { name: 'a.png' },
  { name: 'a.png', subfolder: 'deep' },
  { name: 'a.png', subfolder: 'deep/er' },
  { name: 'a.png', subfolder: 'a/b' },
  { name: 'ü & + ? %.png', subfolder: 'mit leer/é' },
] as const

// The last sizes are above those of usual buffers.
proves(
  ['files/view', 'files/upload', 'files/upload-subfolder'],
  async (subject) => {
    for (const side of [1, 100, 400]) {
      const bytes = noise(side)
      const file = { name: `noise ${side}.png`, bytes }
      const reply = await put(subject, file, { subfolder: 'sizes', ...passing })
      expect(withoutAssets(reply.json())).toEqual({
        name: file.name,
        subfolder: subject.unique('sizes'),
        ...passing,
      })
      const entry = { filename: file.name, subfolder: 'sizes', ...passing }
      const viewed = await subject.get(viewOf(subject, entry))
      expect([side, viewed.status, viewed.headers['content-length']]).toEqual([
        side,
        200,
        `${bytes.length}`,
      ])
      expect(Buffer.compare(Buffer.from(viewed.bytes), Buffer.from(bytes))).toBe(0)
    }
  },
  local,
)

proves(
  ['files/view', 'files/upload-subfolder'],
  async (subject) => {
    const contents = places.map((_, at) => noise(at + 1))
    for (const [at, { name, ...fields }] of places.entries()) {
      const reply = await put(subject, { name, bytes: contents[at]! }, { ...passing, ...fields })
      expect([name, reply.status]).toEqual([name, 200])
    }
    for (const [at, { name, ...fields }] of places.entries()) {
      const entry = { filename: name, ...passing, ...fields }
      const { status, bytes } = await subject.get(viewOf(subject, entry))
      expect([name, fields, status]).toEqual([name, fields, 200])
      expect(Buffer.compare(Buffer.from(bytes), Buffer.from(contents[at]!))).toBe(0)
    }
  },
  local,
)

/** The pixel that a view shows of a picture that was saved there, below this folder. */
async function savedPixel(
  { view }: Subject,
  { folder, image }: Awaited<ReturnType<typeof orangeIn>>,
  prefix: string,
): Promise<unknown> {
  const parts = below(folder, prefix).split('/')
  expect(image).toMatchObject({
    filename: `${parts.at(-1)}_00001_.png`,
    subfolder: parts.slice(0, -1).join('/'),
    type: 'output',
  })
  const { status, bytes } = await view(image)
  expect([prefix, status]).toEqual([prefix, 200])
  return Array.from(decode(bytes).data.slice(0, 3))
}

proves(
  'files/view',
  async (subject) => {
    const orange = await orangeIn(subject)
    expect(await savedPixel(subject, orange, 'deep/er/orange')).toEqual([0xff, 0x80, 0])
    const session = await subject.connect(subject.unique('me'))
    for (const [prefix, color, pixel] of [
      ['other/orange', 0x0080ff, [0, 0x80, 0xff]],
      ['a/b/orange', 0x00ff80, [0, 0xff, 0x80]],
    ] as const) {
      const { entry } = await subject.run(session, solid(color, subject.unique(prefix)))
      const saved = { folder: subject.unique(''), image: entry.outputs['2'].images[0] }
      expect(await savedPixel(subject, saved, prefix)).toEqual(pixel)
    }
  },
  local,
)
