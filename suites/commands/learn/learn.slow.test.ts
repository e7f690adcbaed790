// Worlds with a scenario that is learned from a session answer the same session in the same way.

import {
  type Arbitrary,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  integer,
  option,
  record,
} from 'fast-check'
import type { EmulatorOptions } from 'flowdouble'
import { learn, typesOfWorlds } from '../../../dist/emulator/internal.js'
import { node, type Graph, solid, textToImage } from '../../generate/graphs.ts'
import { test } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import { runs } from '../../support/effort.ts'
import {
  comparable,
  difference,
  learnedWorld,
  play,
  type Step,
} from '../../support/recordings/learned.ts'

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A node type that no world has, with steps, files and texts. */
const ownType = {
  input: { required: { value: ['INT'], images: ['IMAGE'] }, optional: { note: ['STRING'] } },
  output: ['IMAGE'],
  output_node: true,
}
const withOwnType = (value: number): Graph => ({
  '1': node('EmptyImage', { width: 16, height: 16, batch_size: 1, color: 3 }),
  '2': node('OwnUpscaler', { value, images: ['1', 0], note: 'hi' }),
  '3': node('PreviewImage', { images: ['2', 0] }),
})

const ms = integer({ min: 0, max: 5000 })
const worlds = record({
  deployment: constantFrom('local', 'hosted'),
  preview: constantFrom('jpeg', 'png', 'none'),
  pace: ms,
  startDelayMs: ms,
  cache: constantFrom('classic', 'none'),
  completedOnError: boolean(),
  samplerMs: ms,
  restMs: ms,
  saveMs: ms,
  ownSteps: integer({ min: 0, max: 4 }),
  failing: option(constantFrom('KSampler', 'VAEDecode', 'EmptyImage')),
  failingRun: option(integer({ min: 1, max: 3 })),
  pictures: boolean(),
  refusedAt: option(integer({ min: 1, max: 4 })),
})
type World = typeof worlds extends Arbitrary<infer T> ? T : never

const optionsOf = (world: World): EmulatorOptions => ({
  deployment: world.deployment,
  preview: world.preview,
  pace: world.pace,
  startDelayMs: world.startDelayMs,
  cache: world.cache,
  quirk:
    world.completedOnError && world.deployment === 'local' ? ['history.completed-on-error'] : [],
  scenario: {
    version: 1,
    start: { statistics: { system: { comfyui_version: '9.8.7' }, devices: [{ name: 'a card' }] } },
    types: { OwnUpscaler: ownType },
    nodes: [
      ...(world.failing === null
        ? []
        : [
            {
              class_type: world.failing,
              ...(world.failingRun !== null && { run: world.failingRun }),
              exception_type: world.deployment === 'hosted' ? 'OOMError' : 'MemoryError',
              exception_message: 'no room left',
              ...(world.failing === 'KSampler' && { atStep: 2 }),
            },
          ]),
      { class_type: 'KSampler', stepMs: world.samplerMs, durationMs: world.restMs },
      {
        class_type: 'OwnUpscaler',
        steps: world.ownSteps,
        durationMs: 120,
        outputs: {
          text: ['upscaled', { json: { name: 'out', text: 'x' } }],
          images: [{ base64: png }],
          gifs: [
            { own: true, filename: 'Diff_00001.mp4', type: 'temp', format: 'video/h264-mp4' },
            { text: 'RIFF', filename: 'deep/b.avi', frame_rate: 8.5, workflow: 'a.png' },
          ],
          animated: [true],
          loras: [{ on: true, strength: [0.5, null] }, { json: {} }],
          kept: [{ json: { filename: 'given.png', type: 'input', subfolder: '' } }],
        },
      },
      {
        class_type: 'SaveImage',
        durationMs: world.saveMs,
        ...(world.pictures && { outputs: { images: [{ base64: png }] } }),
      },
    ],
    faults:
      world.refusedAt === null
        ? []
        : [
            {
              when: { method: 'POST', path: '/prompt', nth: world.refusedAt },
              then: { status: 429, retryAfter: 3, body: { error: 'slow down' } },
            },
          ],
  },
})

const session: readonly Step[] = [
  { get: '/system_stats' },
  { submit: textToImage(1, 4) },
  { download: 9 },
  { submit: solid(7, 'one') },
  { download: 9 },
  { submit: textToImage(1, 4) },
  { download: 9 },
  { submit: withOwnType(5) },
  { download: 9 },
  { submit: textToImage(2, 3) },
  { download: 9 },
]

test('learn A world with a scenario learned from a session answers the session in the same way.', async () => {
  await assert(
    asyncProperty(worlds, async (world) => {
      const recorded = await play(optionsOf(world), session)
      const again = await play({ ...learnedWorld(recorded.recording), seed: 'another' }, session)
      expect(difference(comparable(recorded), comparable(again))).toBeNull()
    }),
    { numRuns: runs(40) },
  )
})

/** The outputs of a custom node, and what a client sees instead that no scenario can express. */
const outputs = {
  gifs: [
    { own: true, filename: 'deep/a.mp4', format: 'video/h264-mp4', frame_rate: 24 },
    { text: 'v 0 0 0', filename: 'a.obj' },
  ],
  seed: [1],
  bare: [2],
  named: [3],
  odd: [4],
} as const
const seen = (data: string): string =>
  data
    .replace('"seed": [1]', '"seed": [9214636847165323561]')
    .replace('"bare": [2]', '"bare": "text"')
    .replace('"named": [3]', '"videos": [3]')
    .replace('"odd": [4]', '"__proto__": [4]')

test('learn lists outputs that a scenario cannot express; a file that nobody downloaded is a sample', async () => {
  for (const deployment of ['local', 'hosted'] as const) {
    const world = {
      types: { OwnUpscaler: ownType },
      nodes: [{ class_type: 'OwnUpscaler', outputs }],
    }
    const { recording } = await play({ deployment, scenario: { version: 1, ...world } }, [
      { submit: withOwnType(5) },
    ])
    const sockets = recording.sockets.map((socket) => ({
      ...socket,
      messages: socket.messages.map((one) => ({
        ...one,
        data: typeof one.data === 'string' ? seen(one.data) : one.data,
      })),
    }))
    const { scenario, notLearned } = learn([{ ...recording, sockets }], typesOfWorlds(), {
      from: 'a session',
    })
    const isHosted = deployment === 'hosted'
    const [sample, missing] = outputs.gifs
    const rule = scenario.nodes?.find(({ class_type }) => class_type === 'OwnUpscaler')
    expect(rule?.outputs).toEqual({
      gifs: [
        { ...sample, filename: isHosted ? 'a.mp4' : 'deep/a.mp4' },
        { json: { filename: missing.filename, subfolder: '', type: 'output' } },
      ],
      seed: [Number('9214636847165323561')],
      videos: [3],
      ['__proto__']: [4],
    })
    expect(notLearned).toEqual(
      expect.arrayContaining([
        'files of OwnUpscaler that were not downloaded',
        'numbers beyond 2^53 in the output seed of OwnUpscaler',
        'the output bare of OwnUpscaler: not a list',
      ]),
    )
  }
})
