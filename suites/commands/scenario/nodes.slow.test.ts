// Node rules about time, steps, previews and failures.

import { decode as decodePng } from 'fast-png'
import { decode as decodeJpeg } from 'jpeg-js'
import { exceptionTypes } from '../../../spec/server/errors.ts'
import { node, slow, solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves, twoAccounts } from '../../judge/proves.ts'
import { expectRuns, provesRuns, type RunRow, scripted, stepsOf } from '../../support/scripted.ts'

const pace = { pace: 1 }
const outOfMemory = { class_type: 'KSampler', exception_type: 'OOMError' }
const IMAGE_TYPES = { jpeg: 1, png: 2 } as const

// Six other nodes take 1 ms each, and so does the start.
provesRuns(
  'scenario/node-duration',
  scripted({ nodes: [{ class_type: 'KSampler', durationMs: 4000 }] }, pace),
  [textToImage(1, 4), { steps: { '3': '1/4 2/4 3/4 4/4' }, lastedMs: 4000 + 7 }],
)

proves(
  'scenario/node-duration',
  async (subject) => {
    const { emulator, submit, connect } = subject
    const session = await connect('me')
    await submit(textToImage(1, 4), { client_id: 'me' })
    await emulator!.untilMessage('executing', { node: '3' })
    await emulator!.advance(999)
    await session.settled()
    expect(stepsOf(session.messages(), '3')).toEqual([])
    await emulator!.advance(2001)
    await session.settled()
    expect(stepsOf(session.messages(), '3')).toEqual([1, 2, 3])
    await emulator!.advance(999)
    await session.settled()
    expect(stepsOf(session.messages(), '3')).toEqual([1, 2, 3])
  },
  scripted({ nodes: [{ node_id: '3', durationMs: 4000 }] }, pace),
)

provesRuns(
  'scenario/node-step-duration',
  scripted(
    {
      nodes: [
        { class_type: 'KSampler', run: 1, stepMs: 200, durationMs: 30 },
        { class_type: 'KSampler', stepMs: 200 },
      ],
    },
    { ...pace, cache: 'none' },
  ),
  [textToImage(1, 4), { steps: { '3': '1/4 2/4 3/4 4/4' }, lastedMs: 4 * 200 + 30 + 7 }],
  [textToImage(1, 4), { steps: { '3': '1/4 2/4 3/4 4/4' }, lastedMs: 4 * 200 + 7 }],
  [textToImage(1, 2), { steps: { '3': '1/2 2/2' }, lastedMs: 2 * 200 + 7 }],
)

provesRuns(
  'scenario/node-steps',
  scripted({
    nodes: [
      { class_type: 'KSampler', steps: 2 },
      { class_type: 'VAEDecode', steps: 3 },
    ],
  }),
  [textToImage(1, 4), { steps: { '3': '1/2 2/2', '8': '1/3 2/3 3/3' } }],
)

const previews = ['jpeg', 'png', 'none'] as const

proves(
  'scenario/node-preview',
  async (subject) => {
    const session = await subject.connect('me')
    for (const seed of previews.keys()) await subject.run(session, textToImage(seed, 2))
    const formats = ['jpeg', 'jpeg', 'jpeg', 'png', 'png', 'jpeg', 'jpeg'] as const
    const types = session.frames().map(({ fields }) => fields['image_type'])
    expect(types).toEqual(formats.map((format) => IMAGE_TYPES[format]))
  },
  scripted(
    {
      nodes: [
        ...previews.map((preview, at) => ({ class_type: 'KSampler', run: at + 1, preview })),
        { class_type: 'VAEDecode', steps: 1, preview: 'jpeg' },
      ],
    },
    { preview: 'png' },
  ),
)

const previewBytes = 2_000_000

proves(
  'scenario/preview-bytes',
  async (subject) => {
    const session = await subject.connect('me')
    for (const seed of [1, 2]) await subject.run(session, textToImage(seed, 2))
    const images = session.frames().map(({ fields }) => fields['image'] as Uint8Array)
    expect(images.map(({ length }) => length)).toEqual(Array(4).fill(previewBytes))
    const widths = images.map((image, at) => (at < 2 ? decodeJpeg(image) : decodePng(image)).width)
    expect(widths).toEqual(Array(4).fill(512))
  },
  scripted({
    nodes: [
      { class_type: 'KSampler', run: 1, preview: 'jpeg', previewBytes },
      { class_type: 'KSampler', preview: 'png', previewBytes },
    ],
  }),
)

provesRuns(
  'scenario/failure-at-step',
  scripted(
    {
      nodes: [
        {
          ...outOfMemory,
          run: 1,
          exception_message: 'no room',
          atStep: 3,
        },
      ],
    },
    { ...pace, preview: 'jpeg', failures: [{ ...outOfMemory, run: 2, atStep: 30 }] },
  ), // Nothing that follows the failure runs.
  [
    textToImage(1, 5),
    {
      steps: { '3': '1/5 2/5 3/5' },
      frames: 3,
      error: { node_id: '3', exception_message: 'no room\n' },
      lastedMs: 6 + 3,
      outputs: {},
    },
  ],
  // After its last step if it has fewer.
  [textToImage(2, 2), { steps: { '3': '1/2 2/2' }, end: /^execution_error 3 / }],
)

provesRuns(
  'scenario/any-exception',
  scripted({
    nodes: [
      { class_type: 'FlowdoubleSlow', exception_type: 'my.nodes.Error', exception_message: 'odd' },
      { class_type: 'KSampler', exception_type: 'torch.OutOfMemoryError', atStep: 1 },
    ],
  }),
  (deployment) => {
    const isLocal = deployment === 'local'
    expect(Object.keys(exceptionTypes)).toContain('OOMError')
    return [
      [slow(1, 1), { end: `execution_error 1 ${isLocal ? 'my.nodes.Error' : 'ValidationError'}` }],
      [
        textToImage(),
        { end: `execution_error 3 ${isLocal ? 'torch.OutOfMemoryError' : 'OOMError'}` },
      ],
    ]
  },
)

const saying = (exception_message: string) => ({
  error: { exception_message },
})

provesRuns(
  'scenario/out-of-memory',
  scripted({
    nodes: [
      { class_type: 'KSampler', exception_type: 'torch.OutOfMemoryError' },
      {
        class_type: 'FlowdoubleSlow',
        exception_type: 'torch.OutOfMemoryError',
        exception_message: 'full',
      },
    ],
  }),
  [textToImage(), saying('Allocation on device\n')],
  [slow(1, 1), saying('full\n')],
)

const success = 'execution_success'

// The second run fails at node 8 by its own rule; steps come from the first rule that has them.
provesRuns(
  'scenario/node-choice',
  scripted({
    nodes: [
      { class_type: 'KSampler', node_id: '4', steps: 9 },
      { class_type: 'KSampler', durationMs: 10 },
      { node_id: '3', steps: 3 },
      { class_type: 'KSampler', steps: 7 },
      { node_id: '8', run: 2, exception_type: 'OOMError' },
    ],
  }),
  ...[success, /^execution_error 8 /, success].map((end, seed): RunRow => [
    textToImage(seed, 2),
    { steps: { '3': '1/3 2/3 3/3' }, end },
  ]),
)

proves(
  'scenario/node-choice',
  async (subject) => {
    const graph = { ...solid(), '3': node('PreviewAny', { source: 'x' }) }
    await expectRuns(subject, [graph, { end: 'execution_error 2 OOMError' }])
    await expectRuns(subject.as('other-key'), [graph, { end: success }])
  },
  scripted(
    { nodes: [{ class_type: 'SaveImage', user: 'user-of-test-key', exception_type: 'OOMError' }] },
    { deployment: 'hosted', ...twoAccounts },
  ),
)
