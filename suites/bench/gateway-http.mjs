// Child process: a gateway as `gateway run` starts it, with one route without a rate limit, and a store where asked.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGateway } from 'flowdouble'
import { answer, childOptions } from './child.mjs'

const { secret, isStored } = childOptions()
const folder = isStored ? mkdtempSync(join(tmpdir(), 'flowdouble-bench-')) : null
if (folder !== null) process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const hook = {
  secret,
  events: ['push'],
  prompt: 'Review {head_commit.id} of {repository.full_name}: {head_commit.message}',
}
const gateway = await startGateway({
  port: 0,
  epoch: 'now',
  rateLimit: 1e9,
  routes: { hook },
  store: folder === null ? null : join(folder, 'gateway.sqlite'),
})
answer({ port: gateway.port }, { accepted: () => gateway.runs().length })
