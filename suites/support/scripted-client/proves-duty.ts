// The body of a case about a duty: a client without flaws keeps it, whatever its habit, and the one that breaks it is caught.

import type { Deployment } from '../../../spec/language.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'
import { duties } from '../../check/duties/duties.ts'
import { type ClientJudge, clientJudge } from '../../check/duties/judge-client.ts'
import type { Ordinary } from '../../check/duties/observed.ts'
import { scriptedClient } from './client.ts'
import type { Flaw, Habit } from './session.ts'

/** The ordinary runs of the client without flaws: one for all cases. */
const ordinary = new Map<string, Promise<Ordinary>>()

const judgeOf = (deployment: Deployment, flaws: readonly Flaw[], habit: Habit): ClientJudge =>
  clientJudge(deployment, (target) => scriptedClient(target, flaws, habit))

function ordinaryOf(deployment: Deployment, habit: Habit): Promise<Ordinary> {
  const key = `${deployment} ${habit}`
  const known = ordinary.get(key) ?? judgeOf(deployment, [], habit).ordinary()
  ordinary.set(key, known)
  return known
}

/** The client that breaks this duty is caught, and the one without flaws is not accused. */
export const isCaught =
  (flaw: Flaw) =>
  async ({ deployment }: Subject): Promise<void> => {
    const duty = duties.find(({ rule }) => rule === `duties/${flaw}`)
    if (duty === undefined) throw new Error(`duties/${flaw} has no duty.`)
    const usual = await ordinaryOf(deployment, 'both')
    const good = await judgeOf(deployment, [], 'both').judge(duty, usual)
    expect(good.judgement).toEqual({ is: 'kept' })
    const bad = judgeOf(deployment, [flaw], 'both')
    const shown = duty.world === undefined ? await bad.ordinary() : usual
    const { judgement } = await bad.judge(duty, shown)
    expect(judgement).toMatchObject({ is: 'broken' })
  }
