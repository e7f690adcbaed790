// Runs that fail: the six words of hosted, by the account, by the workflow and by a scenario.

import { type EmulatorOptions, startEmulator } from 'flowdouble'
import { expect } from 'vitest'
import { type ExceptionType, exceptionTypes } from '../../spec/errors.ts'
import { changed, failing, type Graph, node, solid, talking, textToImage } from '../graphs.ts'
import { judgeOrder } from '../judge.ts'
import { proves } from '../proves.ts'
import { story } from '../story.ts'
import type { Run, Subject } from '../subject.ts'

const words = Object.keys(exceptionTypes) as ExceptionType[]
const hosted = { deployment: 'hosted' } as const
const account = {
  user: 'me',
  keys: ['test-key'],
  tier: 'pro',
  balance: 1000,
  subscription: 'active',
  partnerKey: 'partner',
  failsWith: null,
} as const

const errorOf = ({ messages }: Run): any =>
  messages.find(({ type }) => type === 'execution_error')?.data

/** Runs a graph, which the server accepts, to its error. Its messages are in order, and its start comes before its error. */
async function failed({ connect, run }: Subject, graph: Graph, extra_data = {}): Promise<any> {
  const outcome = await run(await connect(), graph, { extra_data })
  const own = outcome.messages.filter(({ data }) => data['prompt_id'] === outcome.prompt_id)
  expect(judgeOrder('hosted', own)).toEqual([])
  expect(own[0]?.type).toBe('execution_start')
  expect(own.at(-1)?.type).toBe('execution_error')
  expect(outcome.entry.status).toMatchObject({ status_str: 'error', completed: false })
  return errorOf(outcome)
}

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
          value: ['<picture>'],
        },
        current_outputs: {},
        timestamp: expect.any(Number),
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
    expect([name, exception_type]).toEqual([name, word])
  }
})

/** An account on which every run ends in this way. */
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

/** Graphs and members of extra_data that a server takes and then trips over. */
const poison: readonly (readonly [graph: Graph, extra: unknown])[] = [
  [{ ...solid(), '7': { class_type: 'EmptyImage' } as unknown as Graph[string] }, {}],
  [{ ...solid(), '7': node('ImageInvert', { image: ['nowhere', 0] }) }, {}],
  [solid(), 'a text'],
  [solid(), null],
]

proves('runs/validation-error', async (subject) => {
  for (const [graph, extra_data] of poison) {
    const outcome = await subject.run(await subject.connect(), graph, { extra_data })
    expect(errorOf(outcome)).toMatchObject({ exception_type: 'ValidationError' })
    // The account goes on.
    const { messages } = await subject.run(await subject.connect(), talking())
    expect(messages.at(-1)?.type).toBe('execution_success')
  }
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
  // What is no address has to be a file, as ever.
  for (const name of ['ftp://example.com/a.png', 'example.com/a.png', 'nowhere.png']) {
    expect([name, (await subject.submit(from('LoadImage', name))).status]).toEqual([name, 400])
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

/** The ends of runs of these graphs, one after the other: node and type of the error, or what else it is. */
async function endsOf({ connect, run }: Subject, ...graphs: readonly Graph[]): Promise<string[]> {
  const session = await connect('me')
  const ends: string[] = []
  for (const graph of graphs) {
    const outcome = await run(session, graph)
    const error = errorOf(outcome)
    ends.push(
      error === undefined
        ? outcome.entry.status.status_str
        : `${error.node_id} ${error.exception_type}: ${error.exception_message.trim()}`,
    )
  }
  return ends
}

const bothDeployments = ['local', 'hosted'] as const

for (const deployment of bothDeployments) {
  proves(
    'runs/scenario-failures',
    async (subject) => {
      // The second run fails although all of it is in the cache.
      expect(await endsOf(subject, textToImage(), textToImage(), textToImage())).toEqual([
        'success',
        '3 OOMError: no room',
        'success',
      ])
      const { messages } = await subject.run(await subject.connect('me'), solid())
      expect(story(messages)).toContain('execution_error 2')
      expect(story(messages)).toContain('executing 2')
    },
    {
      deployment,
      failures: [
        {
          class_type: 'KSampler',
          run: 2,
          exception_type: 'OOMError',
          exception_message: 'no room',
        },
        { class_type: 'SaveImage', node_id: '2', exception_type: 'OOMError' },
      ],
    },
  )

  proves(
    'runs/scenario-first',
    async (subject) => {
      expect(await endsOf(subject, talking(), solid(), solid(), textToImage())).toEqual([
        '1 OOMError: all of this type',
        '2 ValidationError: second run, node 2',
        '1 OOMError: first node',
        'success',
      ])
    },
    {
      deployment,
      failures: [
        {
          class_type: 'FlowdoubleText',
          exception_type: 'OOMError',
          exception_message: 'all of this type',
        },
        { exception_type: 'ValidationError', run: 1, exception_message: 'second to it' },
        {
          exception_type: 'ValidationError',
          run: 2,
          node_id: '2',
          exception_message: 'second run, node 2',
        },
        { exception_type: 'OOMError', run: 3, exception_message: 'first node' },
      ],
    },
  )
}

// On local the words are whatever is given, and a user is nobody.
proves(
  ['runs/scenario-failures', 'runs/local-exception-names'],
  async (subject) => {
    const ends = await endsOf(subject, solid(), solid(1), solid(2))
    expect(ends[0]).toBe('2 my.module.Error: ')
    expect(ends[1]).toMatch(/^2 OOMError: \S/)
    expect(ends[2]).toMatch(/^2 KeyError: \S/)
  },
  {
    failures: [
      { run: 1, node_id: '2', exception_type: 'my.module.Error', exception_message: '' },
      { run: 2, node_id: '2', exception_type: 'OOMError' },
      { user: 'nobody', node_id: '2', exception_type: 'KeyError' },
    ],
  },
)

// Refused submits are not counted, and each account counts its own.
proves(
  ['runs/scenario-failures', 'runs/exception-words', 'runs/failure-after-start'],
  async (subject) => {
    const [me, you] = [subject.as('test-key'), subject.as('you')]
    expect((await me.submit({})).status).toBe(400)
    expect(await endsOf(me, solid(), solid(1))).toEqual([
      expect.stringMatching(/^2 ModelDownloadError: \S/),
      'success',
    ])
    expect(await endsOf(you, solid(), solid(1), solid(2))).toEqual([
      'success',
      '1 ValidationError: yours',
      'success',
    ])
  },
  {
    ...hosted,
    accounts: [account, { ...account, user: 'you', keys: ['you'] }],
    failures: [
      { user: 'me', run: 1, node_id: '2', exception_type: 'ModelDownloadError' },
      { user: 'you', run: 2, node_id: '1', exception_type: 'IOError', exception_message: 'yours' },
    ],
  },
)

// Each of the six words for a scenario too.
proves(
  ['runs/scenario-failures', 'runs/exception-words', 'runs/failure-after-start'],
  async (subject) => {
    for (const word of words) {
      expect(await failed(subject, solid())).toMatchObject({ node_id: '2', exception_type: word })
    }
  },
  {
    ...hosted,
    failures: words.map((word, index) => ({ run: index + 1, node_id: '2', exception_type: word })),
  },
)

proves('runs/scenario-failures', async () => {
  const refusalOf = async (failures: unknown, more: EmulatorOptions = {}): Promise<string> =>
    startEmulator({ ...more, failures } as EmulatorOptions).then(
      async (emulator) => {
        await emulator.close()
        return 'It started.'
      },
      (error: Error) => error.message,
    )
  expect(await refusalOf([])).toBe('It started.')
  const mistakes: readonly (readonly [failures: unknown, says: RegExp])[] = [
    ['OOMError', /option failures cannot be used: a list of failures is needed/],
    [{}, /list of failures is needed/],
    [['OOMError'], /failure 1 is no object/],
    [[{ run: 1 }], /failure 1 has no exception_type/],
    [[{ exception_type: '' }], /failure 1 cannot have that exception_type/],
    [[{ exception_type: 'E', run: 0 }], /failure 1 cannot have that run/],
    [[{ exception_type: 'E', run: 1.5 }], /failure 1 cannot have that run/],
    [
      [{ exception_type: 'E' }, { exception_type: 'E', node_id: 3 }],
      /failure 2 cannot have that node_id/,
    ],
    [
      [{ exception_type: 'E', node: '3' }],
      /failure 1 has a member that is none of class_type, node_id/,
    ],
  ]
  for (const [failures, says] of mistakes) expect(await refusalOf(failures)).toMatch(says)
  const unknown = [{ exception_type: 'E', user: 'nobody' }]
  expect(await refusalOf(unknown)).toBe('It started.')
  expect(await refusalOf(unknown, hosted)).toMatch(/failure 1 is of no known user/)
})
