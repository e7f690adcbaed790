// The single file, alone in an empty folder: started with Node it is the whole command.

import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../../support/folder.ts'
import { provesItself, singleFile, startedAs } from './single-file.ts'

test('house/single-file The file alone in a folder states its version, plays a scenario and runs a workflow.', async () => {
  const place = folder()
  const file = join(place, 'flowdouble.cjs')
  copyFileSync(singleFile, file)
  await provesItself(startedAs([process.execPath, file], place))
})

test('house/single-file The file contains the licence of each package inside, and is plain ASCII.', () => {
  const text = readFileSync(singleFile, 'latin1')
  for (const name of ['flowdouble', 'ws', 'yaml', 'jpeg-js'])
    expect(text).toMatch(new RegExp(`^(// )?${name} \\d+\\.`, 'm'))
  expect(/[\x80-\xff]/.exec(text)).toBeNull()
})
