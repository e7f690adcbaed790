// Node rules about time, steps, previews and failures.

import { decode as decodePng } from 'fast-png'
import { decode as decodeJpeg } from 'jpeg-js'
import { exceptionTypes } from '../../../spec/server/errors.ts'
import { account, errorOf } from '../../judge/failures.ts'
import { node, slow, solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { endOf, lastedMs, runAlone, scripted, stepsOf } from '../../support/scripted.ts'
import { transcript } from '../../support/transcript.ts'

const pace = { pace: 1 }
const IMAGE_TYPES = { jpeg: 1, png: 2 } as const

proves(
  'scenario/node-duration',
  async (subject) => {
    const { messages, ...run } = await runAlone(subject, textToImage(1, 4))
    expect(stepsOf(messages, '3')).toEqual([1, 2, 3, 4])
    // Six other nodes take 1 ms each, and so does the start.
    expect(lastedMs({ messages, ...run })).toBe(4000 + 7)
  },
  scripted({ nodes: [{ class_type: 'KSampler', durationMs: 4000 }] }, pace),
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

for (const [durationMs, restMs] of [
  [30, 30],
  [undefined, 0],
] as const) {
  proves(
    'scenario/node-step-duration',
    async (subject) => {
      const first = await runAlone(subject, textToImage(1, 4))
      expect(stepsOf(first.messages, '3')).toEqual([1, 2, 3, 4])
      expect(lastedMs(first)).toBe(4 * 200 + restMs + 7)
      const second = await runAlone(subject, textToImage(2, 2))
      expect(stepsOf(second.messages, '3')).toEqual([1, 2])
    },
    scripted(
      { nodes: [{ class_type: 'KSampler', stepMs: 200, ...(durationMs && { durationMs }) }] },
      pace,
    ),
  )
}

proves(
  'scenario/node-steps',
  async (subject) => {
    const { messages } = await runAlone(subject, textToImage(1, 4))
    expect(stepsOf(messages, '3')).toEqual([1, 2])
    expect(stepsOf(messages, '8')).toEqual([1, 2, 3])
    expect(stepsOf(messages, '9')).toEqual([])
    expect(transcript(messages)).toContain('progress 8 3/3')
  },
  scripted({
    nodes: [
      { class_type: 'KSampler', steps: 2 },
      { class_type: 'VAEDecode', steps: 3 },
    ],
  }),
)

for (const preview of ['jpeg', 'png', 'none'] as const) {
  proves(
    'scenario/node-preview',
    async (subject) => {
      const session = await subject.connect('me')
      await subject.run(session, textToImage(1, 2))
      const types = session.frames().map(({ fields }) => fields['image_type'])
      const own = preview === 'none' ? [] : [preview, preview]
      expect(types).toEqual([...own, 'jpeg'].map((format) => IMAGE_TYPES[format as 'jpeg']))
    },
    scripted(
      {
        nodes: [
          { class_type: 'KSampler', preview },
          { class_type: 'VAEDecode', steps: 1, preview: 'jpeg' },
        ],
      },
      { preview: 'png' },
    ),
  )
}

for (const preview of ['jpeg', 'png'] as const) {
  const previewBytes = 2_000_000
  proves(
    'scenario/preview-bytes',
    async (subject) => {
      const session = await subject.connect('me')
      await subject.run(session, textToImage(1, 2))
      const sizes = session.frames().map(({ fields }) => {
        const image = fields['image'] as Uint8Array
        const { width } = preview === 'png' ? decodePng(image) : decodeJpeg(image)
        return [image.length, width]
      })
      expect(sizes).toEqual([
        [previewBytes, 512],
        [previewBytes, 512],
      ])
    },
    scripted({ nodes: [{ class_type: 'KSampler', preview, previewBytes }] }),
  )
}

proves(
  'scenario/failure-at-step',
  async (subject) => {
    const session = await subject.connect('me')
    const run = await subject.run(session, textToImage(1, 5))
    expect(stepsOf(run.messages, '3')).toEqual([1, 2, 3])
    expect(transcript(run.messages)).toContain('progress 3 3/5')
    expect(session.frames()).toHaveLength(3)
    expect(errorOf(run)).toMatchObject({ node_id: '3', exception_message: 'no room\n' })
    expect(lastedMs(run)).toBe(6 + 3)
    // Nothing that follows the failure has run.
    expect(run.entry.outputs).toEqual({})
  },
  scripted(
    {
      nodes: [
        {
          class_type: 'KSampler',
          exception_type: 'OOMError',
          exception_message: 'no room',
          atStep: 3,
        },
      ],
    },
    { pace: 1, preview: 'jpeg' },
  ),
)

proves(
  'scenario/failure-at-step',
  async (subject) => {
    const { messages, ...run } = await runAlone(subject, textToImage(1, 2))
    expect(stepsOf(messages, '3')).toEqual([1, 2])
    expect(endOf({ messages, ...run })).toContain('execution_error 3')
  },
  { failures: [{ class_type: 'KSampler', exception_type: 'OOMError', atStep: 30 }] },
)

proves(
  'scenario/any-exception',
  async (subject) => {
    const run = await runAlone(subject, slow(1, 1))
    const isHosted = subject.deployment === 'hosted'
    expect(errorOf(run).exception_type).toBe(isHosted ? 'ValidationError' : 'my.nodes.Error')
    const failed = await runAlone(subject, textToImage())
    expect(errorOf(failed).exception_type).toBe(isHosted ? 'OOMError' : 'torch.OutOfMemoryError')
    expect(Object.keys(exceptionTypes)).toContain('OOMError')
  },
  scripted({
    nodes: [
      { class_type: 'FlowdoubleSlow', exception_type: 'my.nodes.Error', exception_message: 'odd' },
      { class_type: 'KSampler', exception_type: 'torch.OutOfMemoryError', atStep: 1 },
    ],
  }),
)

proves(
  'scenario/out-of-memory',
  async (subject) => {
    const usual = errorOf(await runAlone(subject, textToImage()))
    expect(usual.exception_message).toBe('Allocation on device\n')
    const own = errorOf(await runAlone(subject, slow(1, 1)))
    expect(own.exception_message).toBe('full\n')
  },
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
)

proves(
  'scenario/node-choice',
  async (subject) => {
    const ends: string[] = []
    const steps: unknown[][] = []
    for (let count = 0; count < 3; count++) {
      const run = await runAlone(subject, textToImage(count, 2))
      steps.push(stepsOf(run.messages, '3'))
      ends.push(endOf(run))
    }
    // The second run fails at node 8 by its own rule; steps come from the first rule that has them.
    expect(ends.map((end) => end.split(' ').slice(0, 2).join(' '))).toEqual([
      'execution_success',
      'execution_error 8',
      'execution_success',
    ])
    expect(steps).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ])
  },
  scripted({
    nodes: [
      { class_type: 'KSampler', node_id: '4', steps: 9 },
      { class_type: 'KSampler', durationMs: 10 },
      { node_id: '3', steps: 3 },
      { class_type: 'KSampler', steps: 7 },
      { node_id: '8', run: 2, exception_type: 'OOMError' },
    ],
  }),
)

proves(
  'scenario/node-choice',
  async (subject) => {
    const graph = { ...solid(), '3': node('PreviewAny', { source: 'x' }) }
    expect(endOf(await runAlone(subject, graph))).toBe('execution_error 2 OOMError')
    expect(endOf(await runAlone(subject.as('other-key'), graph))).toBe('execution_success')
  },
  scripted(
    { nodes: [{ class_type: 'SaveImage', user: 'me', exception_type: 'OOMError' }] },
    {
      deployment: 'hosted',
      accounts: [
        { ...account, user: 'me', keys: ['test-key'] },
        { ...account, user: 'other', keys: ['other-key'] },
      ],
    },
  ),
)
