// The command `lint`: it says what a server would refuse, as the server says it.

import { startEmulator } from 'flowdouble'
import { onTestFinished } from 'vitest'
import { lintCommand } from '../../../dist/emulator/internal.js'
import { changed, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { commandRows, refusals } from '../../support/in-process.ts'
import { newFiles } from '../../support/files.ts'

const good = textToImage()
const files = newFiles({
  'good.json': JSON.stringify(good),
  'body.json': JSON.stringify({ prompt: good, client_id: 'a' }),
  'sampler.json': JSON.stringify(changed(good, '3', { sampler_name: 'eulr', steps: 0 })),
  'types.json': JSON.stringify({
    ...good,
    20: { class_type: 'KSamplr', inputs: {} },
    21: { class_type: 'FaceDetailer', inputs: { image: ['8', 0] } },
  }),
  'upload.json': JSON.stringify({
    1: { class_type: 'LoadImage', inputs: { image: 'to be uploaded.png' } },
    2: { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
  }),
  'none.json': JSON.stringify({ 1: { class_type: 'EmptyImage', inputs: {} } }),
  'editor.json': '{"nodes": [], "links": []}',
})
const lint = (...argv: readonly string[]) => files.run(lintCommand, ...argv)

commandRows(lint, {
  'lint/good A workflow that a server runs, alone or in the body of a submit, has no problem': [
    ['good.json', 'body.json', 'upload.json'],
    0,
    '',
    '',
  ],
  'lint/inputs Each wrong input is named, with the nearest option': [
    ['sampler.json'],
    1,
    /^sampler\.json: node 3 \(KSampler\), steps: Value 0 smaller than min of 1: steps\.\nsampler\.json: node 3 \(KSampler\), sampler_name: Value not in list: .*\. Did you mean euler\?\n$/,
    '',
  ],
  'lint/like The node types are those of a known server': [
    ['good.json', '--like', 'comfyui-0.27'],
    0,
    '',
    '',
  ],
  'lint/types All unknown types are named, with the nearest one': [
    ['types.json'],
    1,
    /^types\.json: node 20 \(KSamplr\): KSamplr is not a node type\. Did you mean KSampler\?\ntypes\.json: node 21 .*\n$/,
    '',
  ],
  'lint/whole A workflow without an output is refused as a whole': [
    ['none.json'],
    1,
    /^none\.json: Prompt has no outputs\n$/,
    '',
  ],
  'lint/github A workflow run shows each problem at its file': [
    ['sampler.json', '--format', 'github'],
    1,
    /^::error file=sampler\.json,title=value_smaller_than_min::node 3 \(KSampler\), steps: .*\n::error .*\n$/,
    '',
  ],
})

refusals(lint, {
  'lint/editor A workflow as the editor saves it is refused with the way to export it': [
    ['editor.json'],
    /Export it in API format/,
  ],
  'lint/none Without a file it says what it needs': [[], /^lint needs at least one workflow\./],
  'lint/format Another format is refused with the known ones': [
    ['good.json', '--format', 'xml'],
    /^--format must be one of text, json, github, sarif, not xml\./,
  ],
})

test('lint/sarif Tools for static analysis read the same problems', async () => {
  const json = JSON.parse((await lint('sampler.json', '--format', 'json')).stdout)
  const { runs } = JSON.parse((await lint('sampler.json', '--format', 'sarif')).stdout)
  expect(runs[0].results.map(({ ruleId }: any) => ruleId)).toEqual(
    json.map(({ type }: any) => type),
  )
  expect(json[1]).toMatchObject({ node: '3', class_type: 'KSampler', input: 'sampler_name' })
})

test('lint/server It refuses what a server refuses', async () => {
  const server = await startEmulator({ clock: 'manual' })
  onTestFinished(() => server.close())
  for (const name of ['good', 'sampler', 'none', 'types']) {
    const body = JSON.stringify({ prompt: JSON.parse(files.read(`${name}.json`)) })
    const { status } = await fetch(`${server.url}/prompt`, { method: 'POST', body })
    expect([name, (await lint(`${name}.json`)).code]).toEqual([name, status === 200 ? 0 : 1])
  }
})
