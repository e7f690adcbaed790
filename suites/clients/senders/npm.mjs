// What libraries of npm sign and verify: reads a list of jobs as JSON, and prints the list of results.
//
// CLIENT_HOME is the folder in which they are installed. The result of a signing job is an object of headers, that of a
// verifying job whether the library accepts the post.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { sign, verify } from '@octokit/webhooks-methods'

const load = createRequire(join(process.env['CLIENT_HOME'], 'package.json'))
// Libraries print on it.
console.log = console.info = console.debug = console.error

/** Whether a library that throws for what it refuses accepts. */
const accepts = async (check) => {
  try {
    await check()
    return true
  } catch {
    return false
  }
}

/** Svix and Standard Webhooks: their headers differ. */
const standard = (start, Webhook) => ({
  sign: ({ secret, body, id, seconds }) => ({
    [`${start}-id`]: id,
    [`${start}-timestamp`]: `${seconds}`,
    [`${start}-signature`]: new Webhook(secret).sign(id, new Date(seconds * 1000), body),
  }),
  verify: ({ secret, body, headers }) => accepts(() => new Webhook(secret).verify(body, headers)),
})

const shopifyOf = (apiSecretKey) => {
  load('@shopify/shopify-api/adapters/node')
  const { shopifyApi, ApiVersion } = load('@shopify/shopify-api')
  const [apiVersion] = Object.values(ApiVersion)
  const shop = { apiKey: 'key', apiVersion, isEmbeddedApp: false, hostName: 'shop.example' }
  return shopifyApi({ ...shop, apiSecretKey, logger: { log: () => undefined } })
}

const libraries = {
  svix: standard('svix', load('svix').Webhook),
  standardwebhooks: standard('webhook', load('standardwebhooks').Webhook),
  '@octokit/webhooks-methods': {
    sign: async ({ secret, body }) => ({ 'x-hub-signature-256': await sign(secret, body) }),
    verify: ({ secret, body, headers }) => verify(secret, body, headers['x-hub-signature-256']),
  },
  stripe: {
    sign: ({ secret, body, seconds }) => ({
      'stripe-signature': load('stripe').webhooks.generateTestHeaderString({
        payload: body,
        secret,
        timestamp: seconds,
      }),
    }),
    verify: ({ secret, body, headers }) =>
      accepts(() =>
        load('stripe').webhooks.constructEvent(body, headers['stripe-signature'], secret),
      ),
  },
  '@slack/bolt': {
    verify: ({ secret, body, headers }) =>
      load('@slack/bolt').isValidSlackRequest({ signingSecret: secret, body, headers }),
  },
  '@linear/sdk': {
    verify: ({ secret, body, headers }) => {
      const { LinearWebhookClient } = load('@linear/sdk/webhooks')
      const signature = headers['linear-signature']
      return accepts(() => {
        const payload = new LinearWebhookClient(secret).parseData(Buffer.from(body), signature)
        if (payload === undefined) throw new Error('There is no payload.')
      })
    },
  },
  '@shopify/shopify-api': {
    verify: async ({ secret, body, headers }) => {
      const rawRequest = { method: 'POST', url: '/', headers }
      const posted = { rawBody: body, rawRequest, rawResponse: {} }
      return (await shopifyOf(secret).webhooks.validate(posted)).valid
    },
  },
}

const results = []
for (const { library, act, post } of JSON.parse(readFileSync(0, 'utf8')))
  results.push(await libraries[library][act](post))
process.stdout.write(JSON.stringify(results))
