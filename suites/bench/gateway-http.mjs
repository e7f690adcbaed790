// Child process: a gateway as `gateway run` starts it, with one route without a rate limit.

import { startGateway } from 'flowdouble'
import { answer, childOptions } from './child.mjs'

const { secret } = childOptions()
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
})
answer({ port: gateway.port }, { accepted: () => gateway.runs().length })
