// User data: how much a user can store.

import { limits } from '../../../spec/index.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { exchanges, toEach } from '../../judge/rows.ts'
import { paths } from '../../judge/own-files.ts'
import { at, moving } from '../../generate/userdata-paths.ts'
import { expect } from '../../judge/expect.ts'

proves(
  'userdata/bounds',
  async (subject) => {
    const quarter = Buffer.alloc(limits.userdata.value / 4)
    await exchanges(subject, [
      ['POST', at('a'), quarter, 200],
      ['POST', at('b'), quarter, 200],
      ['POST', at('c'), quarter, 200],
      ['POST', at('d'), quarter, 200],
      ['POST', at('e'), 'x', 400],
      ['POST', '/settings', '{"a": 1}', 500],
      ['GET', '/settings', undefined, 200, '{}'],
      ['POST', at('d'), quarter.subarray(1), 200],
      ['POST', at('e'), 'x', 200],
      ['POST', at('e'), 'xy', 400],
      ['GET', at('e'), undefined, 200, 'x'],
      ['DELETE', at('a'), undefined, 204],
      ['POST', at('e'), quarter, 200],
    ])
  },
  ownWorld,
)

proves(
  'userdata/bounds',
  async (subject) => {
    // The user folder itself is the first of all entries, and these add a fifth of them each.
    const fifth = limits.userdataEntries.value / 5
    const deep = (name: string, length: number) => `${name}/`.repeat(length - 1) + name
    const four = ['a', 'b', 'c', 'd'].map((name) => at(deep(name, fifth)))
    await exchanges(subject, [
      ...toEach(four, 'POST', 200),
      ['POST', at(deep('e', fifth)), undefined, 400],
      ['POST', at(deep('e', fifth - 1)), undefined, 200],
      ['POST', at('f'), undefined, 400],
      ['POST', at(deep('e', fifth - 1)), 'again', 200],
      ['POST', moving(deep('a', fifth), 'f'), undefined, 200],
    ])
    expect(await paths(subject)).toHaveLength(limits.userdataEntries.value - 1)
  },
  ownWorld,
)
