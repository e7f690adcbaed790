// The quotas of a world: what it stores, and how many runs wait in it. Beyond them it answers like a server that is full.

import { errors } from '../../../spec/index.ts'
import { solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { type Subject, subjectOf } from '../../judge/subject.ts'

const KiB = 1024

/** Posts of so many bytes: their statuses. */
const postsTo = ({ upload, submit, request }: Subject) => ({
  upload: async (name: string, bytes: number): Promise<number> =>
    (await upload({ name: `${name}.bin`, bytes: Buffer.alloc(bytes, name) })).status,
  submit: async (bytes: number): Promise<number> =>
    (await submit(talking('x'.repeat(bytes)))).status,
  keep: async (name: string, bytes: number): Promise<number> =>
    (await request('POST', `/userdata/${name}`, Buffer.alloc(bytes))).status,
})

proves(
  'shared/world-mib',
  async (subject) => {
    const isHosted = subject.deployment === 'hosted'
    const { upload, submit, keep } = postsTo(subject)
    expect([await upload('a', 40 * KiB), await upload('b', 40 * KiB)]).toEqual([200, 413])
    // What is refused takes no room.
    expect([await upload('b', 20 * KiB), await upload('c', 20 * KiB)]).toEqual([200, 413])
    // So much again fits of user files, and of waiting workflows.
    expect([await keep('a', 40 * KiB), await keep('b', 40 * KiB)]).toEqual([200, 400])
    expect([await submit(40 * KiB), await submit(40 * KiB)]).toEqual([200, isHosted ? 429 : 413])
    await subject.idle()
    expect(await submit(40 * KiB)).toBe(200)
  },
  { worldMib: 1 / 16, clock: 'manual' },
)

proves(
  ['shared/world-runs', 'shared/world-own'],
  async (subject) => {
    const full =
      subject.deployment === 'hosted'
        ? [429, JSON.stringify(errors.planRefusals.queueFull.body.json)]
        : [413, 'The queue is full: the limit for pending workflows is 2 runs.']
    const submitTo = async (to: Subject): Promise<unknown> => {
      const { status, text } = await to.submit(solid())
      return status === 200 ? status : [status, text]
    }
    const submits = async (to: Subject, times: number): Promise<readonly unknown[]> => {
      const replies = []
      for (let time = 0; time < times; time++) replies.push(await submitTo(to))
      return replies
    }
    const larger = subjectOf(
      await subject.emulator!.world({ name: 'larger', worldRuns: 3, worldMib: 0.5 }),
    )
    expect(await submits(subject, 3)).toEqual([200, 200, full])
    expect(await submits(larger, 4)).toEqual([200, 200, 200, expect.anything()])
    expect(await postsTo(larger).upload('a', 400 * KiB)).toBe(200)
    await subject.idle()
    expect(await submits(subject, 3)).toEqual([200, 200, full])
  },
  { worldRuns: 2, worldMib: 1 / 16, clock: 'manual' },
)
