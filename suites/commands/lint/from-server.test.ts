// The flag --from of `types` and `lint`: a running server says what its node types are, and what it has.

import { createServer } from 'node:http'
import { startEmulator } from 'flowdouble'
import { lintCommand, typesCommand } from '../../../dist/emulator/internal.js'
import { node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { forTest, listening } from '../../support/for-test.ts'
import { refusals } from '../../support/in-process.ts'
import { newFiles } from '../../support/files.ts'

/** What a server has with a pack, another size of pictures, and its own models. */
const nodes = {
  FaceDetailer: {
    input: {
      required: {
        image: ['IMAGE'],
        mode: [['fast', 'slow']],
        video: [['old.mp4'], { video_upload: true }],
      },
    },
    output: ['IMAGE'],
    output_node: true,
  },
  EmptyImage: {
    input: { required: { width: ['INT', { min: 1, max: 64 }] } },
    output: ['IMAGE'],
  },
  CheckpointLoaderSimple: {
    input: { required: { ckpt_name: [['mine.safetensors']] } },
    output: ['MODEL', 'CLIP', 'VAE'],
  },
}

const good = {
  1: node('EmptyImage', { width: 32 }),
  2: node('FaceDetailer', { image: ['1', 0], mode: 'fast', video: 'new.mp4' }),
  3: node('CheckpointLoaderSimple', { ckpt_name: 'mine.safetensors' }),
  4: node('VAEEncode', { pixels: ['1', 0], vae: ['3', 2] }),
  5: node('SaveLatent', { samples: ['4', 0], filename_prefix: 'a' }),
}
const files = newFiles({
  'good.json': JSON.stringify(good),
  'bad.json': JSON.stringify({
    2: node('FaceDetailer', { image: ['3', 0], mode: 'fasst', video: 'https://a.example/b.mp4' }),
    3: node('EmptyImag', {}),
    4: node('CheckpointLoaderSimple', { ckpt_name: 'yours.safetensors' }),
  }),
})

test('types/from Nothing is guessed: a server says what its types, models and values are, below any path and for a key', async () => {
  const local = await forTest(startEmulator({ clock: 'manual' }))
  const { url } = await local.world({ name: 'below', nodes })
  const hosted = await forTest(startEmulator({ clock: 'manual', deployment: 'hosted', nodes }))
  const texts = []
  for (const from of [[url], [`${hosted.url}/api`, '--key', 'test-key']]) {
    const { code, stdout, stderr } = await files.run(
      typesCommand,
      'good.json',
      '--json',
      '--from',
      ...from,
    )
    expect([code, stderr]).toEqual([0, ''])
    const { scenario, findings } = JSON.parse(stdout)
    expect(findings.map(({ kind }: any) => kind)).toEqual(['taken', 'taken'])
    const { CheckpointLoaderSimple: _, ...taken } = nodes
    expect(scenario.types).toEqual(taken)
    const world = await forTest(startEmulator({ clock: 'manual', scenario }))
    const submit = async (prompt: object): Promise<number> =>
      (await fetch(`${world.url}/prompt`, { method: 'POST', body: JSON.stringify({ prompt }) }))
        .status
    expect(await submit(good)).toBe(200)
    expect(await submit({ ...good, 1: node('EmptyImage', { width: 65 }) })).toBe(400)
    texts.push(JSON.stringify(scenario))
  }
  expect(new Set(texts).size).toBe(1)
})

test('types/from-lacks What a server does not list cannot run, with what is near', async () => {
  const { url } = await forTest(startEmulator({ clock: 'manual', nodes }))
  const { code, stdout, stderr } = await files.run(typesCommand, 'bad.json', '--from', url)
  expect(code).toBe(1)
  expect(stdout).not.toContain('EmptyImag:')
  expect(stderr.slice(stderr.indexOf('Cannot run'))).toBe(`Cannot run as it is:
  bad.json, node 2: video: https://a.example/b.mp4 is a web address: your program replaces it
  bad.json, node 2: mode: ${url} does not list fasst. Did you mean fast?
  bad.json, node 3: EmptyImag is not a node type of ${url}. Did you mean EmptyImage?
  bad.json, node 4: ckpt_name: ${url} does not list yours.safetensors.
`)
})

test('lint/from A workflow is judged by the types of a server; input files need not be there', async () => {
  const { url } = await forTest(startEmulator({ clock: 'manual', nodes }))
  expect(await files.run(lintCommand, 'good.json', '--from', url)).toMatchObject({
    code: 0,
    stdout: '',
  })
  const { code, stdout } = await files.run(lintCommand, 'bad.json', '--from', url)
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(
      /EmptyImag is not a node type\. Did you mean EmptyImage\?\n.*mode: 'fasst'/,
    ),
  ])
})

test('types/from-refused A server that does not answer, or is not a workflow server, ends the command with exit code 3', async () => {
  const replies: Readonly<Record<string, string>> = {
    '/page': '<html>',
    '/empty': '{}',
    '/list': '[]',
  }
  const { url } = await listening(
    createServer(({ url = '' }, response) => {
      const reply = replies[url.replace('/object_info', '')]
      response.writeHead(reply === undefined ? 404 : 200).end(reply ?? 'no')
    }),
  )
  const hosted = await forTest(startEmulator({ clock: 'manual', deployment: 'hosted' }))
  const ask = async (...from: readonly string[]) => {
    const { code, stdout, stderr } = await files.run(typesCommand, 'good.json', '--from', ...from)
    expect(stdout).toBe('')
    return [code, stderr]
  }
  const says = (text: string): unknown => [3, expect.stringContaining(text)]
  expect(await ask(`${url}/page`)).toEqual(says('invalid JSON (<html>): is it a workflow server?'))
  expect(await ask(`${url}/empty`)).toEqual(says('lists no node types: is it a workflow server?'))
  expect(await ask(`${url}/list`)).toEqual(says('lists no node types: is it a workflow server?'))
  expect(await ask(url)).toEqual(
    says('answered 404: no. Is it a workflow server, and is the path in --from right?'),
  )
  expect(await ask(hosted.url, '--key', 'wrong')).toEqual(says('Is the API key right?'))
  expect(await ask('http://127.0.0.1:1')).toEqual(says('Cannot reach http://127.0.0.1:1'))
})

refusals((...argv) => files.run(lintCommand, ...argv), {
  'lint/from-flags Flags for a server need its address': [
    ['good.json', '--key', 'k'],
    /^--key needs --from\./,
  ],
  'lint/from-url An address that is not one is refused': [
    ['good.json', '--from', 'ftp://x'],
    /^--from must be an http or https URL/,
  ],
  'lint/from-both The types of a file and of a server exclude each other': [
    ['good.json', '--from', 'http://x', '--object-info', 'a.json'],
    /^Give --from or --object-info, not both\./,
  ],
})
