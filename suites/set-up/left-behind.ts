// Around each test file: its tests have a separate temporary folder, and the file fails if they leave anything in it, or
// anything that listens or runs. Sockets need no count: those of a server close with it.

import { basename } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { separate } from '../support/folder.ts'
import { leftRunning } from './left-running.ts'

let end = (): readonly string[] => []

// Registered before the hooks of the file, the first is called before them, and the second after them.
beforeAll(() => {
  end = separate(basename(expect.getState().testPath ?? '', '.test.ts'))
})

afterAll(() => {
  const left = [...end().map((name) => `${name} in the temporary folder`), ...leftRunning()]
  if (left.length > 0) throw new Error(`This file leaves behind:\n${left.join('\n')}`)
})
