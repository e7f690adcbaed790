// Signed posts as their senders create them, valid and invalid, by scheme.

import type { SchemeName } from '../../../spec/gateway/signatures.ts'
import type { GatewaySubject } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { NOW } from '../../generate/senders.ts'
import { signatureVectors } from '../../generate/signature-vectors.ts'
import { expect } from '../../judge/expect.ts'

const vectorsBy = (scheme: SchemeName | null) =>
  signatureVectors
    .filter((one) => one.scheme === scheme)
    .toSorted((a, b) => (a.epochSeconds ?? NOW) - (b.epochSeconds ?? NOW))

/** A gateway with a route for each vector of a scheme, at the time of the first one. */
const routesFor = (scheme: SchemeName | null) => ({
  epoch: (vectorsBy(scheme)[0]?.epochSeconds ?? NOW) * 1000,
  routes: Object.fromEntries(vectorsBy(scheme).map(({ secret }, at) => [`${at}`, { secret }])),
})

/** Checks the vectors of a scheme on a gateway, each at its own time. */
const holds =
  (scheme: SchemeName | null) =>
  async ({ send, gateway }: GatewaySubject): Promise<void> => {
    let timeMs = Number(gateway.options.epoch)
    for (const [at, vector] of vectorsBy(scheme).entries()) {
      const ownMs = (vector.epochSeconds ?? NOW) * 1000
      await gateway.advance(ownMs - timeMs)
      timeMs = ownMs
      const { status } = await send('POST', `/webhooks/${at}`, vector.body, vector.headers)
      // A body that is not valid JSON is rejected only after its signature was verified.
      const taken = vector.body === 'Hello, World!' ? 400 : 202
      expect([vector.title, status]).toEqual([vector.title, vector.isValid ? taken : 401])
    }
  }

proves('signatures/github', holds('github'), routesFor('github'))
proves('signatures/provider-token', holds('gitlab'), routesFor('gitlab'))
proves('signatures/provider-token', holds('token'), routesFor('token'))
proves('signatures/svix', holds('svix'), routesFor('svix'))
proves('signatures/standard', holds('standard'), routesFor('standard'))
proves('signatures/stripe', holds('stripe'), routesFor('stripe'))
proves('signatures/linear', holds('linear'), routesFor('linear'))
proves('signatures/slack', holds('slack'), routesFor('slack'))
proves('signatures/pagerduty', holds('pagerduty'), routesFor('pagerduty'))
proves('signatures/generic', holds('generic'), routesFor('generic'))
proves('signatures/generic-v2', holds('generic-v2'), routesFor('generic-v2'))
proves('signatures/other-headers', holds(null), routesFor(null))
