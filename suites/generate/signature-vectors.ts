// Signed posts as senders create them, both valid and invalid for a gateway with this secret and this clock.

import type { SchemeName } from '../../spec/gateway/signatures.ts'

export type SignatureVector = {
  readonly title: string
  /** The scheme that applies, or null if the gateway knows none. */
  readonly scheme: SchemeName | null
  readonly secret: string
  /** The body as text; its bytes are UTF-8, without a line break at its end. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly isValid: boolean
  /** The time of the gateway's clock, in seconds since 1970, if the scheme checks it. */
  readonly epochSeconds?: number
}

export const signatureVectors: readonly SignatureVector[] = [
  {
    title: 'github, published by the sender',
    scheme: 'github',
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    headers: {
      'X-Hub-Signature-256':
        'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
    isValid: true,
  },
  {
    title: 'github with SHA-1 only',
    scheme: null,
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    headers: { 'X-Hub-Signature': 'sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59' },
    isValid: false,
  },
  {
    title: 'github, a pull request',
    scheme: 'github',
    secret: 'gh-route-secret',
    body: '{"action":"opened","number":7,"pull_request":{"title":"Add gateway"},"repository":{"full_name":"acme/widgets"}}',
    headers: {
      'X-Hub-Signature-256':
        'sha256=a74d68d18167183599c73dbb3ad2ad5b263e4a0be2f3ea053cc8bab82327f2ce',
    },
    isValid: true,
  },
  {
    title: 'github, a ping',
    scheme: 'github',
    secret: 'gh-route-secret',
    body: '{"zen":"Keep it small.","hook_id":101,"hook":{"type":"Repository","id":101,"active":true,"events":["push"]}}',
    headers: {
      'X-Hub-Signature-256':
        'sha256=1fbcd72d585a5d237818ec5c84615ed92d646797d8e34b21f70799bd9041852c',
    },
    isValid: true,
  },
  {
    title: 'github, a form',
    scheme: 'github',
    secret: 'gh-route-secret',
    body: 'payload=%7B%22zen%22%3A%22hi%22%7D',
    headers: {
      'X-Hub-Signature-256':
        'sha256=af688f429e018eeb1483d6fac37f8857d44ea4583f5e6f99e3a4d830c112ee31',
    },
    isValid: true,
  },
  {
    title: 'github, a body that is not ASCII',
    scheme: 'github',
    secret: 'gh-route-secret',
    body: '{"title":"naïve ☃"}',
    headers: {
      'X-Hub-Signature-256':
        'sha256=e926f8cd856374b2c9323055071034a89ac07a9c89763be53607e225cf6b29ea',
    },
    isValid: true,
  },
  {
    title: 'github, an empty body',
    scheme: 'github',
    secret: 'gh-route-secret',
    body: '',
    headers: {
      'X-Hub-Signature-256':
        'sha256=bd0fcbbf0b0ae020203a48bc9d0139763285668a79da8f3bc9a4519ff5b1026d',
    },
    isValid: true,
  },
  {
    title: 'github, a secret that is not ASCII',
    scheme: 'github',
    secret: 'ключ',
    body: '{}',
    headers: {
      'X-Hub-Signature-256':
        'sha256=9dc3578c3092a89b8354302872bbb33985c1f251fd47529a55998604742c2114',
    },
    isValid: true,
  },
  {
    title: 'gitlab, a token',
    scheme: 'gitlab',
    secret: 'gl-secret-token',
    body: '{}',
    headers: { 'X-Gitlab-Token': 'gl-secret-token' },
    isValid: true,
  },
  {
    title: 'svix, published by the sender',
    scheme: 'svix',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    body: '{"test": 2432232314}',
    headers: {
      'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'svix-timestamp': '1614265330',
      'svix-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    isValid: true,
    epochSeconds: 1614265330,
  },
  {
    title: 'svix, a secret without its prefix is used raw',
    scheme: 'svix',
    secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    body: '{"test": 2432232314}',
    headers: {
      'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'svix-timestamp': '1614265330',
      'svix-signature': 'v1,ELhqG0Ku1gwOc1f4jyKdp3SFGFLAOdJ9bvpWLciCakI=',
    },
    isValid: true,
    epochSeconds: 1614265330,
  },
  {
    title: 'svix, an asymmetric signature alone',
    scheme: 'svix',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    body: '{"test": 2432232314}',
    headers: {
      'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'svix-timestamp': '1614265330',
      'svix-signature':
        'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
    },
    isValid: false,
    epochSeconds: 1614265330,
  },
  {
    title: 'svix, an invoice',
    scheme: 'svix',
    secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX',
    body: '{"type":"invoice.paid","data":{"id":"inv_1"}}',
    headers: {
      'svix-id': 'msg_emu_0001',
      'svix-timestamp': '1767225600',
      'svix-signature': 'v1,/sqYVBZQT9aVpXs8IVOeqizNo2ZBd6O/8vgIAE7wNB0=',
    },
    isValid: true,
    epochSeconds: 1767225600,
  },
  {
    title: 'svix, a raw secret',
    scheme: 'svix',
    secret: 'raw-shared-secret',
    body: '{"type":"invoice.paid","data":{"id":"inv_1"}}',
    headers: {
      'svix-id': 'msg_emu_0001',
      'svix-timestamp': '1767225600',
      'svix-signature': 'v1,5Iu/skB8AXd9HSgjj+d3a02Rg0XA+dplZW3KN2PnkWE=',
    },
    isValid: true,
    epochSeconds: 1767225600,
  },
  {
    title: 'svix, the whole secret as the key',
    scheme: 'svix',
    secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX',
    body: '{"type":"invoice.paid","data":{"id":"inv_1"}}',
    headers: {
      'svix-id': 'msg_emu_0001',
      'svix-timestamp': '1767225600',
      'svix-signature': 'v1,3ZXCaNxwQKphZvrM7y6VkSK9p0BqOddGo7f8w3e4m3A=',
    },
    isValid: false,
    epochSeconds: 1767225600,
  },
  {
    title: 'gitlab, a signing token',
    scheme: 'standard',
    secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX',
    body: '{"object_kind":"merge_request","event_type":"merge_request","project":{"path_with_namespace":"acme/widgets"},"object_attributes":{"iid":12,"action":"open"}}',
    headers: {
      'webhook-id': '908a6d9e-45fd-46c8-97e6-c4f350f219dd',
      'webhook-timestamp': '1767225600',
      'webhook-signature': 'v1,OVkp5oDUwsSHqvqf8uf1Ji7bjhOtT41IWFRuALlOyjQ=',
    },
    isValid: true,
    epochSeconds: 1767225600,
  },
  {
    title: 'stripe',
    scheme: 'stripe',
    secret: 'whsec_stripe_test_secret',
    body: '{"id":"evt_1","object":"event","type":"payment_intent.succeeded","data":{"object":{"amount":2000}}}',
    headers: {
      'Stripe-Signature':
        't=1767225600,v1=50d7601f079f3d3a01ef984bf7adfb090ce9cd190d74dab65921d0734058ad19',
    },
    isValid: true,
    epochSeconds: 1767225600,
  },
  {
    title: 'linear',
    scheme: 'linear',
    secret: 'lin_wh_secret',
    body: '{"action":"create","type":"Issue","data":{"id":"i1","title":"Bug"},"webhookTimestamp":1767225600000}',
    headers: {
      'Linear-Signature': 'dfecc8d3920de0cb621d089719d4cf74c88d54d35ae09044ee20dd538110e583',
    },
    isValid: true,
  },
  {
    title: 'slack',
    scheme: 'slack',
    secret: 'slack-signing-secret',
    body: '{"type":"event_callback","event_id":"Ev01","event":{"type":"app_mention"}}',
    headers: {
      'X-Slack-Request-Timestamp': '1767225600',
      'X-Slack-Signature': 'v0=b948551feecdc50c9757249a85d1e424b4b044786a4f7fcc0ba8c0c6b469456c',
    },
    isValid: true,
    epochSeconds: 1767225600,
  },
  {
    title: 'slack, with dots instead of colons',
    scheme: 'slack',
    secret: 'slack-signing-secret',
    body: '{"type":"event_callback","event_id":"Ev01","event":{"type":"app_mention"}}',
    headers: {
      'X-Slack-Request-Timestamp': '1767225600',
      'X-Slack-Signature': 'v0=f8ede4ad3d6d8e9b3806e82e861ff47b0b950ac13e2086d059085df0ea59beb0',
    },
    isValid: false,
    epochSeconds: 1767225600,
  },
  {
    title: 'pagerduty',
    scheme: 'pagerduty',
    secret: 'pagerduty-secret',
    body: '{"event":{"id":"01CH754SM17TWPE2V2H4VPBRO7","event_type":"incident.triggered"}}',
    headers: {
      'X-PagerDuty-Signature':
        'v1=280d802b0a15f897d2df1b763fca1e9ed6bb56eecec861984a76b5471217fd0b',
    },
    isValid: true,
  },
  {
    title: 'generic',
    scheme: 'generic',
    secret: 'generic-secret',
    body: '{"event_type":"alert","level":"high"}',
    headers: {
      'X-Webhook-Signature': 'ec381fa499770c471eecd8966142605a4adbc3b5303dab57905e16ce2b4d299e',
    },
    isValid: true,
  },
  {
    title: 'generic, second version',
    scheme: 'generic-v2',
    secret: 'generic-secret',
    body: '{"event_type":"alert","level":"high"}',
    headers: {
      'X-Webhook-Timestamp': '1767225600',
      'X-Webhook-Signature-V2': '408f894b4fb8ddd3b33d7ae19e45f72a327ed618480e02d9704976e9255539c3',
    },
    isValid: true,
    epochSeconds: 1767225600,
  },
  {
    title: 'a token of another provider',
    scheme: 'token',
    secret: 'acme-secret',
    body: '{}',
    headers: { 'X-Acme-Token': 'acme-secret' },
    isValid: true,
  },
]
