// What a scenario has at the start: files, runs that are over, runs of other clients, cached results.

import { replay, startEmulator } from 'flowdouble'
import { both } from '../../../spec/language.ts'
import { changed, solid, textToImage } from '../../generate/graphs.ts'
import { nodeTypesText } from '../../generate/node-types.ts'
import { expect } from '../../judge/expect.ts'
import { proves, test, twoAccounts } from '../../judge/proves.ts'
import { startSubject, type Subject } from '../../judge/subject.ts'
import { scripted } from '../../support/scripted.ts'

const inFolder = { path: 'input/photos/note.txt', text: 'hello' }
const inBase64 = { path: 'output/done.bin', base64: 'AAEC' }

proves(
  'scenario/start-files',
  async ({ deployment, view }) => {
    // Hosted has no subfolders.
    const subfolder = deployment === 'local' ? 'photos' : ''
    const note = await view({ filename: 'note.txt', subfolder, type: 'input' })
    expect(note).toMatchObject({ status: 200, text: 'hello' })
    const done = await view({ filename: 'done.bin', type: 'output' })
    expect([...done.bytes]).toEqual([0, 1, 2])
  },
  scripted({ start: { files: [inFolder, inBase64] } }),
)

const card = { name: 'cuda:0 A Card', type: 'cuda', vram_total: 8, vram_free: 6 }

proves(
  'scenario/start-statistics',
  async ({ get }) => {
    const { system, devices } = (await get('/system_stats')).json()
    expect(system).toMatchObject({ comfyui_version: '9.9.9', os: 'posix', ram_total: 7 })
    expect(devices).toEqual([card, { name: 'cpu' }])
  },
  {
    scenario: [
      { version: 1, start: { statistics: { system: { comfyui_version: '1', ram_total: 7 } } } },
      {
        version: 1,
        start: {
          statistics: { system: { comfyui_version: '9.9.9' }, devices: [card, { name: 'cpu' }] },
        },
      },
    ],
  },
)

/** The names of the files that a finished run has saved. */
async function savedBy({ finished }: Subject, id: string): Promise<readonly string[]> {
  const entry = await finished(id)
  const outputs = Object.values(entry?.outputs ?? {}) as { images?: { filename: string }[] }[]
  return outputs.flatMap(({ images = [] }) => images.map(({ filename }) => filename))
}

proves(
  'scenario/start-history',
  async (subject) => {
    const ids = await subject.history()
    expect(ids).toHaveLength(4)
    expect(ids[1]).toBe('mine')
    for (const id of ids) {
      const [filename = ''] = await savedBy(subject, id)
      expect(await subject.view({ filename, type: 'output' })).toMatchObject({ status: 200 })
    }
    expect(await savedBy(subject, 'mine')).toHaveLength(1)
    expect(await subject.queue()).toEqual({ running: [], pending: [] })
  },
  scripted({
    start: { history: [{}, { workflow: solid(7, 'mine'), prompt_id: 'mine', times: 3 }] },
  }),
)

proves(
  'scenario/start-outcome',
  async ({ history, finished }) => {
    const ids = await history()
    const statuses = []
    for (const id of ids) statuses.push((await finished(id))?.status)
    const [fine, failed, stopped] = statuses
    expect(fine).toMatchObject({ status_str: 'success', completed: true })
    expect(failed).toMatchObject({ status_str: 'error', completed: false })
    expect(stopped).toMatchObject({ status_str: 'error', completed: false })
    const [type, error] = failed?.messages.at(-1) ?? []
    expect(type).toBe('execution_error')
    expect((error as { exception_message: string }).exception_message.trim()).toBe('no room')
    expect(stopped?.messages.at(-1)?.[0]).toBe('execution_interrupted')
  },
  scripted(
    {
      start: {
        history: [
          {},
          { outcome: 'error', exception_type: 'OOMError', exception_message: 'no room' },
          { outcome: 'interrupted' },
        ],
      },
    },
    // What fails runs on purpose fails no run that is over.
    { failures: [{ exception_type: 'ValueError' }] },
  ),
)

/** The times at which finished runs began, in milliseconds since 1970, oldest first. */
async function beginnings({ history, finished }: Subject): Promise<readonly number[]> {
  const times: number[] = []
  for (const id of await history()) {
    const messages = (await finished(id))?.status.messages ?? []
    const [, data] = messages.find(([type]) => type === 'execution_start') ?? []
    times.push((data as { timestamp: number }).timestamp)
  }
  return times
}

const EPOCH_MS = 1767225600000

proves(
  'scenario/start-before',
  async (subject) => {
    expect(await beginnings(subject)).toEqual([EPOCH_MS - 120_000, EPOCH_MS - 60_000])
  },
  scripted({ start: { history: [{ times: 2 }] } }),
)

proves(
  'scenario/start-queue',
  async ({ deployment, queue, history, idle }) => {
    const atATime = deployment === 'local' ? 1 : 5
    const { running, pending } = await queue()
    expect(running).toHaveLength(atATime)
    expect(pending).toHaveLength(7 - atATime)
    expect(running[0]?.prompt_id).toBe('first')
    expect(await history()).toEqual([])
    await idle()
    expect(await history()).toHaveLength(7)
  },
  scripted({
    start: { queue: [{ prompt_id: 'first', workflow: textToImage() }, { times: 6 }] },
  }),
)

proves(
  'scenario/start-duration',
  async ({ emulator, queue, history, post }) => {
    await emulator?.advance(59_999)
    expect(await history()).toEqual([])
    await emulator?.advance(1)
    expect(await history()).toEqual(['long'])
    await emulator?.advance(86_400_000)
    const { running } = await queue()
    expect(running.map(({ prompt_id }) => prompt_id)).toEqual(['endless'])
    await post('/interrupt', {})
    await emulator?.advance(1)
    expect(await history()).toEqual(['long', 'endless'])
  },
  scripted({
    start: {
      queue: [
        { prompt_id: 'long', durationMs: 60_000 },
        { prompt_id: 'endless', neverEnds: true },
      ],
    },
  }),
)

proves(
  'scenario/start-cached',
  async (subject) => {
    expect(await subject.history()).toEqual([])
    const session = await subject.connect('me')
    const { messages } = await subject.run(session, textToImage(2))
    const cached = messages.find(({ type }) => type === 'execution_cached')
    const nodes = cached?.data['nodes'] as string[]
    expect(nodes.toSorted()).toEqual(['3', '4', '5', '6', '7', '8', '9'])
  },
  scripted({ start: { cached: [textToImage(1), textToImage(2)] } }),
)

/** A constant, as programs declare them. */
const seeded = { history: [{ times: 2 }], queue: [{ times: 2 }], cached: [solid()] } as const

proves(
  'scenario/start-numbers',
  async (subject) => {
    const session = await subject.connect('me')
    const { entry, prompt_id } = await subject.run(session, solid(3))
    expect(entry.status.status_str).toBe('error')
    expect((await subject.run(session, solid(4))).entry.status.status_str).toBe('success')
    const plain = await startSubject({ deployment: subject.deployment })
    const own = await plain.run(await plain.connect('me'), solid(3))
    expect(prompt_id).toBe(own.prompt_id)
    await plain.close()
  },
  scripted(
    { start: seeded },
    { failures: [{ class_type: 'SaveImage', run: 1, exception_type: 'ValueError' }] },
  ),
)

proves(
  'scenario/start-account',
  async (subject) => {
    const other = subject.as('other-key')
    expect(await subject.history()).toHaveLength(1)
    expect(await other.history()).toHaveLength(2)
    const values = { filename: 'own.txt', type: 'input' }
    expect(await subject.view(values)).toMatchObject({ status: 404 })
    expect(await other.view(values)).toMatchObject({ status: 200 })
  },
  scripted(
    {
      start: {
        files: [{ path: 'input/own.txt', text: 'own', user: 'user-of-other-key' }],
        history: [{}, { user: 'user-of-other-key' }],
      },
    },
    { deployment: 'hosted', ...twoAccounts },
  ),
)

proves(
  'scenario/merged',
  async ({ history, emulator }) => {
    expect(await history()).toEqual(['one', 'two'])
    expect(emulator?.options).toMatchObject({ pace: 9, startDelayMs: 3, seed: 'mine' })
  },
  {
    seed: 'mine',
    scenario: [
      {
        version: 1,
        world: { pace: 8, startDelayMs: 3, seed: 'theirs' },
        start: { history: [{ prompt_id: 'one' }] },
      },
      { version: 1, world: { pace: 9 }, start: { history: [{ prompt_id: 'two' }] } },
    ],
  },
)

for (const deployment of both)
  test(`the start of a ${deployment} server returns with a reset, and replays`, async () => {
    const history = [{ prompt_id: 'over' }, { outcome: 'error' as const }]
    const queue = [{ prompt_id: 'long', durationMs: 5000 }]
    const start = { history, queue, cached: [solid()] }
    const subject = await startSubject(scripted({ start }, { deployment }))
    const { emulator, idle } = subject
    const before = await subject.history()
    expect(before).toHaveLength(2)
    await idle()
    expect(await subject.history()).toHaveLength(3)
    await emulator?.reset()
    expect(await subject.history()).toEqual(before)
    expect((await subject.queue()).running.map(({ prompt_id }) => prompt_id)).toEqual(['long'])
    await idle()
    const journal = (await emulator?.journal()) ?? []
    const result = replay(journal.join('\n'), nodeTypesText())
    expect(result).toEqual({ entries: journal.length - 1, differs: null })
    await subject.close()
  })

const placed = [
  { path: 'input/face.png', placeholder: '48x32' },
  { path: 'input/voice.wav', placeholder: '1x1' },
]

proves(
  'scenario/start-placeholder',
  async (subject) => {
    const { bytes } = await subject.view({ filename: 'face.png', type: 'input' })
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([48, 32])
    const sound = await subject.view({ filename: 'voice.wav', type: 'input' })
    expect(sound.bytes.subarray(8, 12).toString()).toBe('WAVE')
    const loaded = {
      1: { class_type: 'LoadImage', inputs: { image: 'face.png' } },
      2: { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
    }
    const { prompt_id } = (await subject.submit(loaded)).json()
    await subject.idle()
    const entry = await subject.finished(prompt_id)
    expect(entry?.status.status_str).toBe('success')
  },
  scripted({ start: { files: placed } }),
)

const models = { loras: ['mine.safetensors'], checkpoints: ['own.ckpt'] }

proves(
  'scenario/start-models',
  async ({ deployment, get, submit }) => {
    const folders = { local: '/models', hosted: '/experiment/models' }[deployment]
    expect((await get(`${folders}/loras`)).text).toContain('mine.safetensors')
    const types = (await get('/object_info')).json()
    for (const type of ['LoraLoader', 'LoraLoaderModelOnly'])
      expect(types[type].input.required.lora_name[0]).toContain('mine.safetensors')
    const graph = textToImage()
    const loader = { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'own.ckpt' } }
    expect((await submit({ ...graph, 4: loader })).status).toBe(200)
  },
  scripted({ start: { models } }),
)

proves(
  'scenario/start-values',
  async ({ get, submit }) => {
    const { KSampler } = (await get('/object_info/KSampler')).json()
    expect(KSampler.input.required.sampler_name[0].slice(-2)).toEqual(['uni_pc_bh2', 'mine'])
    const sampled = (sampler_name: string) => changed(textToImage(), '3', { sampler_name })
    expect((await submit(sampled('mine'))).status).toBe(200)
    expect((await submit(sampled('yours'))).status).toBe(400)
  },
  scripted({ start: { values: { KSampler: { sampler_name: ['mine', 'euler'] } } } }),
)

test('scenario/start-values Values of what is not a combo are refused at the start', async () => {
  const wrong = {
    'KSamplr, sampler_name': 'an unknown node type',
    'KSampler, steps': 'not a combo',
    'LoadImage, image': 'a list of files (start.files adds some)',
  }
  for (const [what, why] of Object.entries(wrong)) {
    const [class_type = '', input = ''] = what.split(', ')
    const values = { [class_type]: { [input]: ['mine'] } }
    await expect(startEmulator({ scenario: { version: 1, start: { values } } })).rejects.toThrow(
      `start.values of the scenario names ${what}: ${why}.`,
    )
  }
})
