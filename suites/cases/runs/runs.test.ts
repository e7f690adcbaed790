// The execution of a workflow: which nodes run, in which order, and what ends a run.

import { failing, node, slow } from '../../generate/graphs.ts'
import { judgeOrder } from '../../judge/judge.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { nodesOf, transcript } from '../../support/transcript.ts'
import { expect } from '../../judge/expect.ts'

const picture = { width: 64, height: 64, batch_size: 1, color: 0 }

proves(
  'runs/sources-first',
  async ({ connect, run }) => {
    const { messages } = await run(await connect('me'), {
      show: node('PreviewImage', { images: ['turn', 0] }),
      unneeded: node('ImageInvert', { image: ['fill', 0] }),
      turn: node('ImageInvert', { image: ['join', 0] }),
      join: node('ImageBatch', { image1: ['fill', 0], image2: ['back', 0] }),
      back: node('ImageInvert', { image: ['fill', 0] }),
      fill: node('EmptyImage', picture),
    })
    expect(nodesOf('executing', messages)).toEqual(['fill', 'back', 'join', 'turn', 'show'])
    expect(nodesOf('executed', messages)).toEqual(['show'])
  },
  ownWorld,
)

proves(
  'runs/failure-ends',
  async ({ connect, run, queue, history, deployment }) => {
    const session = await connect('me')
    const { prompt_id, messages, entry } = await run(session, {
      ...failing(),
      said: node('FlowdoubleText', { text: 'first' }),
      worse: node('FlowdoubleFail', {
        exception_type: 'KeyError',
        message: 'later',
        value: ['said', 0],
      }),
      after: node('FlowdoubleText', { text: 'never', value: ['2', 0] }),
    })
    expect(judgeOrder(deployment, messages)).toEqual([])
    expect(nodesOf('executing', messages)).toEqual(['said', 'worse'])
    expect(entry.outputs).toEqual({ said: { text: ['first'] } })
    expect(entry.status.status_str).toBe('error')
    expect(entry.status.messages.map(([type]) => type)).toEqual([
      'execution_start',
      'execution_cached',
      'execution_error',
    ])
    await session.settled()
    expect(
      transcript(session.messages()).filter((line) => /^execution_(error|succ)/.test(line)),
    ).toEqual(['execution_error worse'])
    expect((await queue()).running).toEqual([])
    expect(await history()).toEqual([prompt_id])
  },
  ownWorld,
)

// A day is the longest that a flowdouble node takes.
const daySeconds = 86_400

proves(
  'runs/no-time-out',
  async ({ connect, run }) => {
    const [session, other] = [await connect('me'), await connect('other')]
    const { messages, entry } = await run(session, slow(daySeconds, 1))
    const times = messages.flatMap(({ data }) => (data['timestamp'] as number | undefined) ?? [])
    expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(1000 * daySeconds)
    expect(entry.status.status_str).toBe('success')
    await other.settled()
    expect(transcript(other.received).at(-1)).toBe('status 0')
  },
  // Only with a manual clock: nobody waits a day for a server elsewhere.
  { seed: 'a day' },
)

proves('runs/joined-texts', async (subject) => {
  const session = await subject.connect('me')
  const { entry } = await subject.run(session, {
    '1': node('StringConcatenate', { string_a: 'one', string_b: 'two', delimiter: ' - ' }),
    '2': node('PreviewAny', { source: ['1', 0] }),
  })
  expect(entry.outputs).toEqual({ '2': { text: ['one - two'] } })
})
