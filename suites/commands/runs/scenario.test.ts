// Runs that a scenario makes fail.

import { type EmulatorOptions, startEmulator } from 'flowdouble'
import { account, errorOf, failed, words } from '../../judge/failures.ts'
import { type Graph, solid, talking, textToImage } from '../../generate/graphs.ts'
import { proves } from '../../judge/proves.ts'
import { transcript } from '../../support/transcript.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const hosted = { deployment: 'hosted' } as const

/** The ends of runs of these graphs, one after the other: node and type of the error, or another outcome. */
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
      // The second run fails although everything is in the cache.
      expect(await endsOf(subject, textToImage(), textToImage(), textToImage())).toEqual([
        'success',
        '3 OOMError: no room',
        'success',
      ])
      const { messages } = await subject.run(await subject.connect('me'), solid())
      expect(transcript(messages)).toContain('execution_error 2')
      expect(transcript(messages)).toContain('executing 2')
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
          class_type: 'PreviewAny',
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

// On local the words are arbitrary, and there are no users.
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

// Rejected submits are not counted, and each account counts separately.
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
      { user: account.user, run: 1, node_id: '2', exception_type: 'ModelDownloadError' },
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
    ['OOMError', /option failures cannot be used: use a list of failures/],
    [{}, /use a list of failures/],
    [['OOMError'], /failure 1 is not an object/],
    [[{ run: 1 }], /failure 1 lacks exception_type/],
    [[{ exception_type: '' }], /failure 1 cannot have that exception_type/],
    [[{ exception_type: 'E', run: 0 }], /failure 1 cannot have that run/],
    [[{ exception_type: 'E', run: 1.5 }], /failure 1 cannot have that run/],
    [
      [{ exception_type: 'E' }, { exception_type: 'E', node_id: 3 }],
      /failure 2 cannot have that node_id/,
    ],
    [[{ exception_type: 'E', node: '3' }], /failure 1 has a member other than class_type, node_id/],
  ]
  for (const [failures, says] of mistakes) expect(await refusalOf(failures)).toMatch(says)
  const unknown = [{ exception_type: 'E', user: 'nobody' }]
  expect(await refusalOf(unknown)).toBe('It started.')
  expect(await refusalOf(unknown, hosted)).toMatch(/failure 1 names an unknown user/)
})
