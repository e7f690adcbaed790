// A server for workflows: what they need is there, and all else is refused.

import { startEmulator } from 'flowdouble'
import { createEmulator } from 'flowdouble/browser'
import { onTestFinished } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { proves, test } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { node, type Graph } from '../../generate/graphs.ts'
import { newFiles } from '../../support/files.ts'
import { typesCommand } from '../../../dist/emulator/internal.js'
import { both } from '../../../spec/language.ts'

/** A workflow with nodes of packs: an unlisted model, an input file, a detailer, a video. */
const workflow: Graph = {
  1: node('CheckpointLoaderSimple', { ckpt_name: 'my own.safetensors' }),
  2: node('CLIPTextEncode', { text: 'a face', clip: ['1', 1] }),
  3: node('LoadImage', { image: 'portrait.png' }),
  4: node('VAEEncode', { pixels: ['3', 0], vae: ['1', 2] }),
  5: node('Lora Stack (pack)', { model: ['1', 0], lora_1: { on: true, lora: 'x.safetensors' } }),
  6: node('KSampler', {
    model: ['5', 0],
    seed: 1,
    steps: 2,
    cfg: 8,
    sampler_name: 'euler',
    scheduler: 'normal',
    positive: ['2', 0],
    negative: ['2', 0],
    latent_image: ['4', 0],
    denoise: 1,
  }),
  7: node('VAEDecode', { samples: ['6', 0], vae: ['1', 2] }),
  8: node('DetectorOfPack', { model_name: 'bbox/face.pt' }),
  9: node('FaceDetailer', { image: ['7', 0], vae: ['1', 2], detector: ['8', 0], guide_size: 512 }),
  10: node('VHS_VideoCombine', {
    images: ['9', 0],
    frame_rate: 8,
    loop_count: 0,
    filename_prefix: 'face',
    format: 'video/h264-mp4',
    pingpong: false,
    save_output: true,
  }),
}

/** The outputs of a run of the workflow. */
async function outputsOf({ submit, idle, finished }: Subject): Promise<Record<string, object>> {
  const reply = await submit(workflow)
  expect([reply.status, reply.json().node_errors]).toEqual([200, {}])
  await idle()
  const entry = await finished(reply.json().prompt_id)
  expect(entry?.status.status_str).toBe('success')
  return entry?.outputs as Record<string, object>
}

for (const deployment of both) {
  const options = { deployment, for: [workflow] }
  proves(
    'scenario/for-workflows',
    async (subject) => {
      await outputsOf(subject)
      expect((await subject.view({ filename: 'portrait.png', type: 'input' })).status).toBe(200)
    },
    options,
  )

  proves(
    'scenario/for-outputs',
    async (subject) => {
      const video = { filename: expect.stringMatching(/\.mp4$/), format: 'video/h264-mp4' }
      expect(await outputsOf(subject)).toEqual({ 10: { gifs: [expect.objectContaining(video)] } })
    },
    options,
  )

  proves(
    'scenario/for-strict',
    async ({ submit }) => {
      const wrong: Readonly<Record<string, Graph>> = {
        'a value that is not an option': { 6: changed('6', { sampler_name: 'eulr' }) },
        'a number below its minimum': { 6: changed('6', { steps: 0 }) },
        'a model that is not there': { 1: changed('1', { ckpt_name: 'another.safetensors' }) },
        'a file that is not there': { 3: changed('3', { image: 'another.png' }) },
        'a missing input': { 6: changed('6', { latent_image: undefined }) },
        'a link of another type': { 7: changed('7', { samples: ['1', 0] }) },
        'a type that is misspelt': { 9: { ...workflow[9]!, class_type: 'FaceDetaler' } },
        'a guessed type without an input': { 9: changed('9', { image: undefined }) },
        'a guessed type with a text for a number': { 9: changed('9', { guide_size: 'wide' }) },
        'a guessed type with another model': { 8: changed('8', { model_name: 'bbox/hand.pt' }) },
        'a guessed type with a link of another type': { 9: changed('9', { image: ['1', 1] }) },
        'an output that no node uses': { 6: changed('6', { model: ['5', 3] }) },
      }
      for (const [name, nodes] of Object.entries(wrong)) {
        const reply = await submit({ ...workflow, ...nodes })
        expect([name, reply.status]).toEqual([name, 400])
      }
    },
    options,
  )
}

/** Workflows with a value that no combo of their known nodes lists, of a later server or left to a program. */
const unlisted = Object.fromEntries(
  ['res_9s', '', '{{sampler}}', 'https://a.example/x'].map((sampler_name) => [
    sampler_name,
    { ...workflow, 6: changed('6', { sampler_name }) },
  ]),
)

for (const deployment of both) {
  proves(
    'scenario/for-values',
    async ({ submit }) => {
      for (const [value, graph] of Object.entries(unlisted))
        expect([value, (await submit(graph)).status]).toEqual([
          value,
          value === 'res_9s' ? 200 : 400,
        ])
      const misspelt = { ...workflow, 6: changed('6', { sampler_name: 'res_9' }) }
      expect((await submit(misspelt)).status).toBe(400)
    },
    { deployment, for: Object.values(unlisted), values: true },
  )
  proves(
    'scenario/for-strict',
    async ({ submit }) => {
      for (const graph of Object.values(unlisted)) expect((await submit(graph)).status).toBe(400)
    },
    { deployment, for: Object.values(unlisted) },
  )
}

/** A node of the workflow with other inputs. */
function changed(id: string, inputs: object) {
  return { ...workflow[id]!, inputs: { ...workflow[id]!.inputs, ...inputs } }
}

test('types/worlds A world that a request creates, and an emulator in a page, run a workflow that they are given', async () => {
  const server = await startEmulator({ clock: 'manual' })
  const page = await createEmulator({ clock: 'manual', for: [workflow] })
  onTestFinished(async () => void (await Promise.all([server.close(), page.close()])))
  const post = (url: string, value: object, send: typeof fetch = fetch) =>
    send(url, { method: 'POST', body: JSON.stringify(value) })
  const submit = { prompt: workflow }
  expect((await post(`${server.url}/prompt`, submit)).status).toBe(400)
  const made = await post(`${server.url}/_flowdouble/worlds`, { name: 'mine', for: [workflow] })
  expect(made.status).toBe(200)
  expect((await post(`${server.url}/w/mine/prompt`, submit)).status).toBe(200)
  const inPage = page.fetch
  expect((await post(`${page.url}/prompt`, submit, inPage)).status).toBe(200)
  const file = await post(`${server.url}/_flowdouble/worlds`, { for: ['mine.json'] })
  expect([file.status, await file.text()]).toEqual([400, expect.stringContaining('names a file')])
  await expect(createEmulator({ for: 'mine.json' })).rejects.toThrow('there is no disk here')
})

test('types/scenario The command types prints a scenario of what was guessed, and what cannot run as it is', async () => {
  const template = {
    1: node('LoadImage', { image: 'https://a.example/b.png' }),
    2: node('SaveImage', { images: ['9', 0], filename_prefix: '{{prefix}}' }),
  }
  const files = newFiles({
    'good.json': JSON.stringify({ prompt: workflow }),
    'template.json': JSON.stringify(template),
    'editor.json': '{"nodes": [], "links": []}',
  })
  const good = await files.run(typesCommand, 'good.json')
  expect(good).toMatchObject({ code: 0 })
  expect(good.stdout).toContain('FaceDetailer:')
  expect(good.stderr).toMatch(/^Guessed:\n {2}good\.json: Lora Stack \(pack\): 2 inputs, 1 outputs/)
  const wrong = await files.run(typesCommand, 'template.json', '--json')
  const { findings } = JSON.parse(wrong.stdout)
  expect([wrong.code, findings.map(({ kind, node }: any) => [kind, node])]).toEqual([
    1,
    [
      ['impossible', '1'],
      ['impossible', '2'],
      ['impossible', '2'],
    ],
  ])
  const editor = await files.run(typesCommand, 'editor.json')
  expect([editor.code, editor.stderr]).toEqual([
    2,
    expect.stringContaining('Export it in API format'),
  ])
})

test('types/values Values that no combo lists are named with what is near, and --values writes them down', async () => {
  const files = newFiles({ 'later.json': JSON.stringify(unlisted['res_9s']) })
  const strict = await files.run(typesCommand, 'later.json')
  expect([strict.code, strict.stderr]).toEqual([
    0,
    expect.stringContaining(
      'node 6: sampler_name: res_9s is not an option of KSampler; a submit is refused, unless --values adds it.',
    ),
  ])
  expect(strict.stdout).not.toContain('res_9s')
  const open = await files.run(typesCommand, 'later.json', '--values', '--json')
  const { scenario, findings } = JSON.parse(open.stdout)
  expect(scenario.start.values).toEqual({ KSampler: { sampler_name: ['res_9s'] } })
  expect(findings).toContainEqual(expect.objectContaining({ kind: 'look', node: '6' }))
})

test('types/values-worlds A world that a request creates accepts values as well; without workflows values are refused', async () => {
  const server = await startEmulator({ clock: 'manual', for: [unlisted['res_9s']!] })
  onTestFinished(() => server.close())
  const post = async (path: string, value: object) =>
    (await fetch(server.url + path, { method: 'POST', body: JSON.stringify(value) })).status
  const submit = { prompt: unlisted['res_9s'] }
  expect(await post('/prompt', submit)).toBe(400)
  const made = { name: 'a', for: [unlisted['res_9s']], values: true }
  expect(await post('/_flowdouble/worlds', made)).toBe(200)
  expect(await post('/w/a/prompt', submit)).toBe(200)
  expect(await post('/_flowdouble/worlds', { name: 'b', values: true })).toBe(200)
  expect(await post('/w/b/prompt', submit)).toBe(200)
  await expect(startEmulator({ values: true })).rejects.toThrow(
    'option values requires workflows, which the option for names.',
  )
})

test('types/whole A workflow that a server refuses as a whole cannot run: without nodes, without an output, or with other entries', async () => {
  const files = newFiles({
    'empty.json': '{}',
    'inner.json': JSON.stringify({ 1: node('EmptyImage', { width: 8, height: 8 }) }),
    'note.json': JSON.stringify({ note: { text: 'hello' }, 2: node('Shout', { text: 'a' }) }),
    'worker.json': JSON.stringify({ input: { workflow: { 2: node('Shout', { text: 'a' }) } } }),
  })
  const said = async (name: string) => {
    const { code, stdout } = await files.run(typesCommand, name, '--json')
    const { findings } = JSON.parse(stdout)
    return [
      code,
      findings.flatMap(({ kind, node, says }: any) => (kind === 'impossible' ? [node, says] : [])),
    ]
  }
  const none = [1, [null, 'no node is an output node: a submit is refused']]
  expect(await said('empty.json')).toEqual(none)
  expect(await said('inner.json')).toEqual(none)
  expect(await said('note.json')).toEqual([1, ['note', 'has no class_type: a submit is refused']])
  expect(await said('worker.json')).toEqual([0, []])
})
