// Runs that fail: the six words of hosted, by the account and by the workflow.

import type { ExceptionType } from '../../../spec/server/errors.ts'
import { account, errorOf, failed, words } from '../../judge/failures.ts'
import {
  changed,
  failing,
  type Graph,
  node,
  solid,
  talking,
  textToImage,
} from '../../generate/graphs.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const hosted = { deployment: 'hosted' } as const

proves(
  ['runs/exception-words', 'runs/failure-after-start', 'messages/error', 'runs/failure-ends'],
  async (subject) => {
    for (const word of words) {
      const error = await failed(subject, failing(word, `made to fail: ${word}`))
      expect(error).toEqual({
        prompt_id: expect.any(String),
        node_id: '2',
        node_type: 'FlowdoubleFail',
        executed: expect.any(Array),
        exception_type: word,
        exception_message: expect.stringContaining(`made to fail: ${word}`),
        traceback: [expect.any(String)],
        current_inputs: {
          exception_type: [word],
          message: [`made to fail: ${word}`],
          value: [expect.stringMatching(/^(?:tensor\(|\{'samples': tensor\()/)],
        },
        current_outputs: {},
        timestamp: expect.any(Number),
        ...(word === 'ValidationError' && { node_errors: { '2': expect.any(Object) } }),
      })
    }
    const shown = {
      '0': node('FlowdoubleText', { text: 'before' }),
      '2': node('FlowdoubleFail', { exception_type: 'OOMError', message: '', value: ['0', 0] }),
    }
    const { executed, current_outputs } = await failed(subject, shown)
    expect(executed).toEqual(['0'])
    expect(current_outputs).toEqual({ '0': { text: ['before'] } })
  },
  hosted,
)

const others: readonly (readonly [name: string, word: ExceptionType])[] = [
  ['ValueError', 'ValidationError'],
  ['KeyError', 'ValidationError'],
  ['PanicError', 'ValidationError'],
  ['', 'ValidationError'],
  ['toString', 'ValidationError'],
  ['NoMemoryErrorAtAll', 'ValidationError'],
  ['torch.OutOfMemoryError', 'OOMError'],
  ['torch.cuda.OutOfMemoryError', 'OOMError'],
  ['MemoryError', 'OOMError'],
]

proves('runs/other-failures', async (subject) => {
  for (const [name, word] of others) {
    const { exception_type } = await failed(subject, failing(name, 'x'))
    expect({ name, exception_type }).toEqual({ name, exception_type: word })
  }
})

/** An account on which every run ends like this. */
const failingAccount = (failsWith: ExceptionType, user: string) => ({
  ...account,
  user,
  keys: [user],
  failsWith,
})

proves(
  ['runs/account-failures', 'runs/exception-words', 'runs/failure-after-start'],
  async (subject) => {
    for (const word of words) {
      const own = subject.as(word)
      for (const graph of [solid(), textToImage(), solid()]) {
        const error = await failed(own, graph)
        expect(error).toMatchObject({
          exception_type: word,
          exception_message: expect.stringMatching(/\S/),
          executed: [],
        })
        expect(Object.keys(graph)).toContain(error.node_id)
        expect(error.node_type).toBe(graph[error.node_id]?.class_type)
      }
      expect((await own.submit({})).status).toBe(400)
      const { messages: sent } = await own.run(await own.connect(), solid())
      expect(sent.map(({ type }) => type)).toContain('execution_start')
      expect(sent.map(({ type }) => type)).not.toContain('executing')
    }
    const { messages } = await subject
      .as('test-key')
      .run(await subject.as('test-key').connect(), solid())
    expect(messages.at(-1)?.type).toBe('execution_success')
  },
  {
    ...hosted,
    accounts: [account, ...words.map((word) => failingAccount(word, word))],
  },
)

proves(
  'runs/inactive-subscription-error',
  async (subject) => {
    const error = await failed(subject, solid())
    expect(error).toMatchObject({ exception_type: 'InactiveSubscriptionError', node_id: '1' })
    expect(
      (await subject.as('active').run(await subject.as('active').connect(), solid())).entry,
    ).toMatchObject({
      status: { status_str: 'success' },
    })
  },
  {
    accounts: [
      { ...account, subscription: 'inactive' },
      { ...account, user: 'you', keys: ['active'] },
    ],
  },
)

/** A graph that a server accepts and then fails on: nothing needs the node that has no inputs. */
const poison: Graph = { ...solid(), '7': { class_type: 'EmptyImage' } as unknown as Graph[string] }

proves('runs/validation-details', async (subject) => {
  const graph = {
    ...failing('ValidationError', 'no such style'),
    '3': node('PreviewAny', { source: ['2', 0] }),
    '4': node('FlowdoubleText', { text: 'elsewhere' }),
  }
  const outcome = await subject.run(await subject.connect('details'), graph)
  const { exception_type, node_errors } = errorOf(outcome)
  expect(exception_type).toBe('ValidationError')
  expect(node_errors).toEqual({
    '2': {
      errors: [
        {
          type: 'exception_during_validation',
          message: 'Exception when validating node',
          details: 'no such style',
          extra_info: { exception_type: 'ValidationError', traceback: [expect.any(String)] },
        },
      ],
      dependent_outputs: ['2', '3'],
      class_type: 'FlowdoubleFail',
    },
  })
  const sent = outcome.entry.status.messages.find(([type]) => type === 'execution_error')?.[1]
  expect(sent).toMatchObject({ node_errors })
  if (subject.deployment === 'hosted') {
    const job = (await subject.get(`/jobs/${outcome.prompt_id}`)).json()
    expect(job.execution_error).toMatchObject({ exception_type, node_errors })
  }
  const other = await subject.run(await subject.connect('other'), failing('RuntimeError', 'x'))
  expect('node_errors' in errorOf(other)).toBe(subject.deployment === 'hosted')
})

proves('runs/validation-error', async (subject) => {
  const outcome = await subject.run(await subject.connect(), poison)
  expect(errorOf(outcome)).toMatchObject({ exception_type: 'ValidationError' })
  // The account continues to work.
  const { messages } = await subject.run(await subject.connect(), talking())
  expect(messages.at(-1)?.type).toBe('execution_success')
  expect((await subject.submit(changed(textToImage(), '3', { steps: -1 }))).status).toBe(400)
})

proves(
  'runs/model-download-error',
  async (subject) => {
    const unlisted = changed(textToImage(), '4', { ckpt_name: 'mine.safetensors' })
    expect(await failed(subject, unlisted)).toMatchObject({
      exception_type: 'ModelDownloadError',
      exception_message: expect.stringContaining('mine.safetensors'),
      node_id: '4',
      node_type: 'CheckpointLoaderSimple',
      executed: [],
    })
    const { messages } = await subject.run(await subject.connect(), textToImage())
    expect(messages.at(-1)?.type).toBe('execution_success')
  },
  { models: 'any' },
)

proves('runs/image-download-error', async (subject) => {
  const from = (class_type: string, image: string): Graph => ({
    load: node(class_type, { image, channel: 'red' }),
    show: node('PreviewAny', { source: ['load', 0] }),
  })
  for (const class_type of ['LoadImage', 'LoadImageMask']) {
    for (const address of ['https://example.com/a.png', 'HTTP://[::1]/b', 'http://']) {
      expect(await failed(subject, from(class_type, address))).toMatchObject({
        exception_type: 'ImageDownloadError',
        exception_message: expect.stringContaining(address),
        node_id: 'load',
        node_type: class_type,
      })
    }
  }
  // What is not an address must be a file, as always.
  for (const name of ['ftp://example.com/a.png', 'example.com/a.png', 'nowhere.png']) {
    expect({ name, status: (await subject.submit(from('LoadImage', name))).status }).toEqual({
      name,
      status: 400,
    })
  }
})

proves('runs/oom-error', async (subject) => {
  const large = changed(solid(), '1', { width: 16384, height: 16384 })
  expect(await failed(subject, large)).toMatchObject({
    exception_type: 'OOMError',
    node_id: '1',
    node_type: 'EmptyImage',
  })
  const { messages } = await subject.run(await subject.connect(), solid())
  expect(messages.at(-1)?.type).toBe('execution_success')
})
