// No false alarms: clients without flaws keep all duties, whether they only ask, or mostly listen.

import { both } from '../../../spec/language.ts'
import { clientJudge } from '../../check/duties/judge-client.ts'
import { dutiesOn } from '../../check/duties/run-duties.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { sampleOf } from '../../support/effort.ts'
import { scriptedClient } from '../../support/scripted-client/client.ts'

for (const place of both) {
  for (const habit of ['polls', 'sockets'] as const) {
    test(`a good client that only ${habit === 'polls' ? 'asks' : 'listens'} is not accused on ${place}`, async () => {
      const { ordinary, judge } = clientJudge(place, (target) => scriptedClient(target, [], habit))
      const usual = await ordinary()
      // Side by side: the client mostly waits.
      const judged = await Promise.all(
        sampleOf(dutiesOn(place), 4).map(async (duty) => {
          const { judgement } = await judge(duty, usual)
          return [duty.rule, judgement] as const
        }),
      )
      expect(judged.filter(([, { is }]) => is === 'broken')).toEqual([])
    })
  }
}
