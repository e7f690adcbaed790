// The composite action: a job that starts a server and checks it, one that checks a server that runs, and those that fail.

import { join } from 'node:path'
import { startEmulator } from 'flowdouble'
import { beforeAll, expect, test } from 'vitest'
import { dependencies, pack, root } from '../../support/packed.ts'
import { action, runAction } from './action.ts'

let own: { readonly package: string }

beforeAll(async () => {
  const paths = dependencies.map((name) => join(root, 'node_modules', name))
  own = { package: [(await pack()).tarball, ...paths].join(' ') }
})

const options = '--only queue/item'

test('house/action-inputs Inputs reach a script by its environment alone, and nothing is uploaded.', () => {
  expect(action.runs.using).toBe('composite')
  for (const step of action.runs.steps) {
    expect(step.shell).toBe('bash')
    expect(step.run).not.toContain('${{')
  }
})

test('house/action-serves It starts a server, waits for its ready file, checks it, and ends it.', async () => {
  const server = 'flowdouble serve --port 0 --ready-file ready.json & wait'
  const job = await runAction({ ...own, server, 'ready-file': 'ready.json', options })
  expect(job).toMatchObject({ code: 0 })
  expect(job.output).toContain('Exit code 0')
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(job.output)?.[0] ?? ''
  await expect(fetch(url)).rejects.toThrow('fetch failed')
  expect(job.summary.replaceAll('\\', '')).toContain(url)
})

test('house/action-url It checks a server that runs, with a baseline, and passes the exit code on.', async () => {
  const server = await startEmulator({ port: 0, clock: 'real' })
  const known = '{ "version": 1, "failures": [] }'
  const asked = { ...own, url: server.url, options, baseline: 'known failures.json' }
  try {
    expect(await runAction(asked)).toMatchObject({ code: 2, summary: '' })
    expect(await runAction(asked, { 'known failures.json': known })).toMatchObject({ code: 0 })
  } finally {
    await server.close()
  }
})

test('house/action-late A server that does not get ready fails the job, with its log.', async () => {
  const server = 'echo nothing to serve'
  const late = { 'ready-file': 'ready.json', 'wait-seconds': '0' }
  const job = await runAction({ ...own, server, ...late, options })
  expect(job).toMatchObject({ code: 1, summary: '' })
  expect(job.output).toContain('::error::The server was not ready after 0 s.')
})
