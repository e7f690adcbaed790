// Posts that other services sign, each by the scheme of one or of many.

import type { SignatureVector } from './vector.ts'

export const serviceVectors: readonly SignatureVector[] = [
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
    title: 'shopify, an order',
    scheme: 'shopify',
    secret: 'shopify-client-secret',
    body: '{"id":820982911946154508,"name":"#9999","total_price":"403.00"}',
    headers: {
      'X-Shopify-Topic': 'orders/create',
      'X-Shopify-Webhook-Id': 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
      'X-Shopify-Hmac-SHA256': 'RqWDYKBSAkdENRcy2yHqmVVs4yb9Ov1q7v3vY5KFVl8=',
    },
    isValid: true,
  },
  {
    title: 'shopify, in hex instead of base64',
    scheme: 'shopify',
    secret: 'shopify-client-secret',
    body: '{"id":820982911946154508,"name":"#9999","total_price":"403.00"}',
    headers: {
      'X-Shopify-Hmac-SHA256': '46a58360a052024744351732db21ea99556ce326fd3afd6aeefdef639285565f',
    },
    isValid: false,
  },
  {
    title: 'sentry, an issue',
    scheme: 'sentry',
    secret: 'sentry-client-secret',
    body: '{"action":"created","data":{"issue":{"id":"1170820242"}}}',
    headers: {
      'Request-ID': '4f4c3f9a5cd14d7f9d3a6c2b1e0f8a77',
      'Sentry-Hook-Resource': 'issue',
      'Sentry-Hook-Timestamp': '1767225600',
      'Sentry-Hook-Signature': 'be833a03aad418be735bb91cc0c5eefb5a92d6402929907dd6a2e2c0e1218e7e',
    },
    isValid: true,
  },
  {
    title: 'typeform, a response',
    scheme: 'typeform',
    secret: 'typeform-secret',
    body: '{"event_id":"LtWXD3crgy","event_type":"form_response"}',
    headers: { 'Typeform-Signature': 'sha256=hckPUzTwds7gwzKBgtaPJAYpEDA8H5c7ryUdr+HH+yU=' },
    isValid: true,
  },
  {
    title: 'typeform, in hex instead of base64',
    scheme: 'typeform',
    secret: 'typeform-secret',
    body: '{"event_id":"LtWXD3crgy","event_type":"form_response"}',
    headers: {
      'Typeform-Signature':
        'sha256=85c90f5334f076cee0c3328182d68f24062910303c1f973baf251dafe1c7fb25',
    },
    isValid: false,
  },
  {
    title: 'grafana, an alert',
    scheme: 'grafana',
    secret: 'grafana-secret',
    body: '{"receiver":"hook","status":"firing","alerts":[]}',
    headers: {
      'X-Grafana-Alerting-Signature':
        'cb0899fe6af2074fb94cef41702046dbfcc7f479f82d2cefc27be90fe7d0880e',
    },
    isValid: true,
  },
  {
    title: 'twilio, published by the sender: it signs the address and the fields of a form',
    scheme: null,
    secret: '12345',
    body: 'CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212',
    headers: { 'X-Twilio-Signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' },
    isValid: false,
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
  {
    title: 'a bearer token',
    scheme: 'bearer',
    secret: 'mF_9.B5f-4.1JqM',
    body: '{}',
    headers: { Authorization: 'Bearer mF_9.B5f-4.1JqM' },
    isValid: true,
  },
  {
    title: 'a user and a password, as RFC 7617 has them',
    scheme: 'basic',
    secret: 'Aladdin:open sesame',
    body: '{}',
    headers: { Authorization: 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==' },
    isValid: true,
  },
]
