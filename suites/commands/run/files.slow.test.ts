// The files that the client sends and downloads: workflows, uploads, outputs.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { entryOf, picture, startOtherHost, startMisbehaving } from './misbehaving-server.ts'
import { filesIn, runOn, runs } from './harness.ts'
import { expect } from '../../judge/expect.ts'
import { folder } from '../../support/folder.ts'

const image = (filename: string, subfolder = '') => ({ ...picture, filename, subfolder })
const loading = (name: string, type = 'LoadImage', input = 'image') =>
  `{"1": {"class_type": "${type}", "inputs": {"${input}": ${JSON.stringify(name)}}}}`

/** A folder with pictures, below a folder with one more. */
async function pictures(): Promise<string> {
  const place = join(folder(), 'workflows')
  await mkdir(join(place, 'sub'), { recursive: true })
  await writeFile(join(place, 'cat "1".png'), 'cat')
  await writeFile(join(place, 'cat.png [output]'), 'annotated')
  await writeFile(join(place, 'sub', 'dog.png'), 'dog')
  await writeFile(join(place, '..', 'secret.png'), 'secret')
  return place
}

const graph =
  '{ "3": {"class_type":"A", "inputs": {"seed": 18446744073709551615, "cfg":1.0, "of": "}"}},\n"9": {} }'
/** A file, and the workflow in it. */
const written = {
  'seeds of 64 bits, fractions like 1.0 and spelling': [graph, graph],
  'NaN and Infinity, as Python writes them': [
    '{"1": {"class_type": "A", "inputs": {"a": "NaN"}, "is_changed": [NaN, -Infinity, Infinity]}}',
  ],
  'the workflow in the body of a request': [
    `{"client_id": "x", "prompt": ${graph}, "extra_data": {"prompt": {"no": {}}}}`,
    graph,
  ],
  'the workflow in an input': [`{"input": {"workflow": ${graph}, "images": [{}]}}`, graph],
  'the prompt in an input': [`{"input": {"prompt": ${graph}}}`, graph],
  'the workflow beside metadata': [`{"workflow": ${graph}, "metadata": {}}`, graph],
  'the last of two prompts': [`{"prompt": {}, "prompt": ${graph}}`, graph],
  'nodes with the names prompt and input': [
    '{"prompt": {"class_type": "A", "inputs": {}}, "input": {"class_type": "B", "inputs": {}}}',
  ],
  'a node with an input prompt': ['{"input": {"class_type": "A", "prompt": {"3": {}}}}'],
}
runs(
  Object.fromEntries(
    Object.entries(written).map(([what, [text = '', sent = text]]) => [
      `run/text-as-written The client sends ${what} alone, as written.`,
      [{}, { submits: [`{"prompt": ${sent}, "client_id": "me"}`] }, { text, clientId: 'me' }],
    ]),
  ),
)

test('run/upload-renamed An input gets the name that the server returned, and nothing else changes.', async () => {
  const name = '"cat \\"1\\".png"'
  const text = `{"2": {"class_type": "CLIPTextEncode", "inputs": {"text": ${name}, "seed": 9007199254740993}},
    "1": {"inputs": {"image":${name}, "x": ["image", 0]}, "class_type": "LoadImage", "image": ${name}}}`
  const stored = () => ({ name: 'cat (1).png', subfolder: 'deep/', type: 'input' })
  const server = await startMisbehaving({ stored })
  await runOn(server, { text, place: await pictures(), clientId: 'me' })
  const sent = text.replace(`"image":${name}`, '"image":"deep/cat (1).png"')
  expect(server.submits).toEqual([`{"prompt": ${sent}, "client_id": "me"}`])
  expect(server.uploads).toEqual([
    { name: 'cat "1".png', text: 'cat', fields: { type: 'input', overwrite: 'false' } },
  ])
})

test('run/upload-inputs The inputs image, mask, audio, video and file are uploaded, once per file.', async () => {
  const names = ['image', 'mask', 'audio', 'video', 'file', 'other']
  const nodes = names.map((name) => [name, { class_type: 'X', inputs: { [name]: 'sub/dog.png' } }])
  const stored = (name: string) => ({ name: `stored-${name}`, subfolder: 'sub' })
  const server = await startMisbehaving({ stored })
  const text = JSON.stringify(Object.fromEntries(nodes))
  await runOn(server, { text, place: await pictures() })
  const sent = JSON.parse(server.submits[0] ?? '') as { prompt: Record<string, { inputs: object }> }
  const values = Object.values(sent.prompt).flatMap(
    ({ inputs }) => Object.values(inputs) as string[],
  )
  expect(values).toEqual([...Array<string>(5).fill('sub/stored-dog.png'), 'sub/dog.png'])
  expect(server.uploads).toMatchObject([{ name: 'dog.png', fields: { subfolder: 'sub' } }])
})

test.each([
  ['a name that is not a local file', loading('nothing.png')],
  ['a folder', loading('sub')],
  ['a name annotated with a folder', loading('cat.png [output]')],
  ['a file outside the folder of the workflow', loading('../secret.png')],
  ['an absolute name', loading('/etc/hostname')],
  [
    'what is not an input of a node',
    '{"1": {"class_type": "X", "_meta": {"image": "sub/dog.png"}}}',
  ],
  ['a name with a zero byte', loading('cat\u0000.png')],
  ['a choice among outputs', loading('sub/dog.png', 'LoadImageOutput')],
])('run/upload-nothing-else The client leaves alone %s.', async (_, text) => {
  const server = await startMisbehaving()
  await runOn(server, { text, place: await pictures(), clientId: 'me' })
  expect(server.uploads).toEqual([])
  expect(server.submits).toEqual([`{"prompt": ${text}, "client_id": "me"}`])
})

test('run/output-kinds Images, gifs, video, videos, audio, 3d and text are all outputs.', async () => {
  const output = {
    images: [image('i.png')],
    animated: [true],
    gifs: [image('g.gif')],
    video: [image('u.mp4'), image('v.mp4')],
    videos: [image('v.mp4'), image('w.mp4')],
    audio: [{ filename: 'a.flac' }],
    '3d': [image('m.glb')],
    text: ['one', 'two'],
    result: ['model.glb', null],
  }
  const { result } = await runOn(
    await startMisbehaving({ entry: entryOf({ '9': output, '10': null }) }),
  )
  const names = result.files.map(({ filename }) => filename).sort()
  expect(names).toEqual(['a.flac', 'g.gif', 'i.png', 'm.glb', 'u.mp4', 'v.mp4', 'w.mp4'])
  expect(result.texts).toEqual(['one', 'two'].map((text) => ({ node: '9', text })))
})

test('run/no-key-elsewhere A redirect to another host gets no credentials.', async () => {
  const other = await startOtherHost('signed bytes')
  const views = { 'a.png': { status: 302, headers: { location: `${other.url}/f?sig=1` } } }
  const server = await startMisbehaving({ views })
  const { files } = await runOn({ url: `${server.url}?token=hostkey-123` })
  expect(files).toEqual({ 'a.png': 'signed bytes' })
  const own = server.requests.find(({ path }) => path === '/view')
  expect(own?.headers.authorization).toBe('Bearer hostkey-123')
  expect(other.requests).toHaveLength(1)
  expect(JSON.stringify(other.requests)).not.toContain('hostkey-123')
  const names = Object.keys(other.requests[0]?.headers ?? {}).join()
  expect(names).not.toMatch(/authorization|x-api-key|cookie/)
  expect(other.requests[0]?.query.toString()).toBe('sig=1')
})

test('run/key-on-own-host A redirect on the same host keeps the credentials.', async () => {
  const views = {
    'a.png': { status: 307, headers: { location: '/view?filename=b.png&subfolder=x' } },
  }
  const server = await startMisbehaving({ views })
  const url = server.url.replace('//', '//me:pass-word@')
  const { files } = await runOn({ url })
  expect(files).toEqual({ 'a.png': 'bytes of x/b.png' })
  const keys = server.requests.map(({ headers }) => headers.authorization)
  expect(new Set(keys)).toEqual(new Set([`Basic ${btoa('me:pass-word')}`]))
})

runs({
  'run/endless-redirect Redirects in a circle end in a failure.': [
    { views: { 'a.png': { status: 302, headers: { location: '/view?filename=a.png' } } } },
    { outcome: 'protocol' },
  ],
  'run/no-half-files An interrupted transfer leaves no file; the others are downloaded.': [
    {
      views: { 'cut.png': { body: 'half', length: 100 } },
      entry: entryOf({ '9': { images: [image('cut.png'), image('whole.png')] } }),
    },
    {
      outcome: 'protocol',
      files: [{ filename: 'whole.png' }],
      saved: [['whole.png', 'bytes of /whole.png']],
    },
  ],
  'run/missing-output An output that the server no longer has is reported by name.': [
    { views: { 'a.png': { status: 404 } } },
    { error: { message: 'The server does not return a.png (HTTP 404).' } },
  ],
})

test('run/stays-in-folder The name of an output cannot lead out of the folder.', async () => {
  const names = ['../up.png', '/abs.png', 'nul\u0000.png', '..', 'a\\..\\..\\win.png', '']
  const images = names.map((name) => image(name))
  images.push(image('x.png', '../../..'), image('y.png', '/etc/'), image('z.png', 'ok/./../deep'))
  const place = folder()
  const { result } = await runOn(await startMisbehaving({ entry: entryOf({ '9': { images } }) }), {
    place,
  })
  expect(result).toMatchObject({ outcome: 'success' })
  expect(Object.keys(await filesIn(place)).sort()).toEqual(
    ['abs.png', 'etc/y.png', 'nul_.png', 'ok/deep/z.png', 'output', 'up.png', 'win.png', 'x.png']
      .map((name) => `out/${name}`)
      .concat('workflow.json')
      .sort(),
  )
})

test('run/stays-in-folder A name that is too long for a file is cut, and the other files are written.', async () => {
  const names = [`${'a'.repeat(5000)}.png`, `${'ä'.repeat(300)}.png`, 'b.png']
  const { result, files } = await runOn(
    await startMisbehaving({
      entry: entryOf({ '9': { images: names.map((name) => image(name)) } }),
    }),
  )
  expect(result).toMatchObject({ outcome: 'success' })
  expect(Object.keys(files).toSorted()).toEqual([
    `${'a'.repeat(236)}.png`,
    'b.png',
    `${'ä'.repeat(118)}.png`,
  ])
  const deep = { images: [image('a.png', 'deep/'.repeat(2000)), image('b.png')] }
  const beyond = await runOn(await startMisbehaving({ entry: entryOf({ '9': deep }) }))
  expect(Object.keys(beyond.files)).toEqual(['b.png'])
  expect(beyond.result).toMatchObject({ outcome: 'protocol' })
})

test('run/names-twice Two outputs with one name and an existing file are all kept.', async () => {
  const place = folder()
  await mkdir(join(place, 'out'))
  await writeFile(join(place, 'out', 'a.png'), 'mine')
  const twice = { images: [image('a.png'), { ...image('a.png'), type: 'temp' }] }
  const server = await startMisbehaving({
    entry: entryOf({ '8': twice, '9': { images: [picture] } }),
  })
  const { result, files } = await runOn(server, { place })
  expect(Object.keys(files)).toEqual(['a (1).png', 'a (2).png', 'a (3).png', 'a.png'])
  expect(files['a.png']).toBe('mine')
  const [first] = result.files
  expect(first).toMatchObject({
    path: join(place, 'out', 'a (1).png'),
    bytes: 'bytes of /a.png'.length,
  })
})
