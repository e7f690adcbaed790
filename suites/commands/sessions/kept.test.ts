// Which recordings of earlier checks a check plays again.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openKept } from '../../check/sessions/kept.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { folder } from '../../support/folder.ts'

test('sessions/kept-of-others Only a session that check has played on this deployment is played again.', () => {
  const place = folder()
  const ledger = join(place, 'a.ledger')
  const { save, forget } = openKept(ledger, 'local')
  const steps = [{ do: 'rest' }]
  const har = (info: object): string => JSON.stringify({ log: { _flowdouble: info } })
  save('local', har({ place: 'local', seed: '3', steps }))
  save('hosted', har({ place: 'hosted', seed: '3', steps }))
  save('recorded', har({ place: 'local' }))
  save('changed', har({ place: 'local', seed: '3', steps: [{}] }))
  save('broken', '{')
  expect(openKept(ledger, 'local').sessions).toEqual([{ seed: 3, steps }])
  for (const title of ['local', 'hosted', 'recorded', 'changed', 'broken']) forget(title)
  expect(openKept(ledger, 'local').sessions).toEqual([])
  expect(readdirSync(place)).toEqual([])
})
