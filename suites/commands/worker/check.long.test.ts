// The cases that judge any server, on worlds of the worker: they pass, apart from those of a declared list.

import { join } from 'node:path'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { start } from '../../support/spawned.ts'
import { onWorker, requireWorkerd } from './workerd.ts'

/** Where it differs, mostly since the runtime answers itself, each with its reason: an entry that does not fail is an error. */
const declared = join(import.meta.dirname, 'declared.json')

proves('shared/worker', async ({ deployment }) => {
  requireWorkerd()
  await onWorker({ options: { deployment } }, async ({ create }) => {
    const { url } = await create('one', { clock: 'real' })
    const key = deployment === 'hosted' ? ['--key', 'test-key'] : []
    const options = ['--baseline', declared, '--max-seconds', '600', ...key]
    const { code, stdout } = await start('check', url, ...options).ends
    expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' })
  })
})
