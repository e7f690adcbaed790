// Each command of each README does what it says. Those of the page about checks, each of which judges a server or a client
// anew, are in commands.long.test.ts.

import { expect, test } from 'vitest'
import { blocksOf, readmes } from './pages.ts'
import { closerLooks, judgingPage, typesCommands } from './typed-commands.ts'

typesCommands(readmes.filter(({ file }) => file !== judgingPage))

test('what is looked at more closely is there', () => {
  const texts = readmes.flatMap(blocksOf).map(({ text }) => text)
  expect(closerLooks.filter((one) => !texts.some((text) => text.includes(one)))).toEqual([])
})
