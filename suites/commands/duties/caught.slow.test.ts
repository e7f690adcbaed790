// Each duty of a client: one without flaws keeps it, and one that breaks it is caught.

import type { Deployment } from '../../../spec/language.ts'
import { duties } from '../../check/duties/run-duties.ts'
import type { Duty } from '../../check/duties/duty.ts'
import { type ClientJudge, clientJudge } from '../../check/duties/judge-client.ts'
import type { Ordinary } from '../../check/duties/observed.ts'
import { expect } from '../../judge/expect.ts'
import { proves, sideBySide } from '../../judge/proves.ts'
import { scriptedClient } from '../../support/scripted-client/client.ts'
import type { Flaw } from '../../support/scripted-client/session.ts'

const judgeOf = (deployment: Deployment, ...flaws: readonly Flaw[]): ClientJudge =>
  clientJudge(deployment, (target) => scriptedClient(target, flaws, 'both'))

/** The ordinary runs of the client without flaws: one of each deployment for all cases. */
const ordinary = new Map<Deployment, Promise<Ordinary>>()

function ordinaryOf(deployment: Deployment): Promise<Ordinary> {
  const known = ordinary.get(deployment) ?? judgeOf(deployment).ordinary()
  ordinary.set(deployment, known)
  return known
}

async function isCaught(deployment: Deployment, duty: Duty): Promise<void> {
  const usual = await ordinaryOf(deployment)
  const good = await judgeOf(deployment).judge(duty, usual)
  expect(good.judgement).toEqual({ is: 'kept' })
  const bad = judgeOf(deployment, duty.rule.replace('duties/', '') as Flaw)
  const shown = duty.world === undefined ? await bad.ordinary() : usual
  const { judgement } = await bad.judge(duty, shown)
  expect(judgement).toMatchObject({ is: 'broken' })
}

for (const duty of duties)
  proves(duty.rule, ({ deployment }) => isCaught(deployment, duty), sideBySide)
