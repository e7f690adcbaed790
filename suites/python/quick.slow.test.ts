// The client of the Python package against the spec and a server, with the Python of this machine and nothing else.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { source, suites, testsOf, whyNot } from './pythons.ts'

const reason = whyNot()

describe(`the Python package${reason === undefined ? '' : `, skipped: ${reason}`}`, () => {
  let printed = ''
  beforeAll(async () => {
    if (reason !== undefined) return
    const env = {
      ...process.env,
      FLOWDOUBLE_NODE: process.execPath,
      PYTHONPATH: source,
      PYTHONDONTWRITEBYTECODE: '1',
    }
    const python = spawn('python3', [join(suites, 'test_quick.py'), '--verbose'], { env })
    for (const stream of [python.stdout, python.stderr])
      stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    await new Promise((resolve) => python.on('close', resolve))
  })

  test.skipIf(reason !== undefined).each(testsOf('test_quick.py'))('%s', (name) => {
    expect(printed, printed).toMatch(new RegExp(`^${name} .*\\n.*\\.\\.\\. ok$`, 'm'))
  })
})
