// Posts that code hosts and trackers sign.

import type { SignatureVector } from './vector.ts'

export const hostVectors: readonly SignatureVector[] = [
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
    scheme: 'bitbucket',
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
    title: 'gitea, a push without the headers of GitHub',
    scheme: 'gitea',
    secret: 'gitea-secret',
    body: '{"ref":"refs/heads/develop"}',
    headers: {
      'X-Gitea-Delivery': 'f6266f16-1bf3-46a5-9ea4-602e06ead473',
      'X-Gitea-Event': 'push',
      'X-Gitea-Signature': '16ec0bbf28ac3af49fc3509f3d1d19c76562fe81bd5974a32355f89d9ec5d682',
    },
    isValid: true,
  },
  {
    title: 'gogs, a push',
    scheme: 'gogs',
    secret: 'gogs-secret',
    body: '{"ref":"refs/heads/develop"}',
    headers: {
      'X-Gogs-Delivery': 'f6266f16-1bf3-46a5-9ea4-602e06ead473',
      'X-Gogs-Event': 'push',
      'X-Gogs-Signature': 'f1a6b6440d51416f7f97e47566fa2a109b9815abe278a98bf6dc0f0454f177c4',
    },
    isValid: true,
  },
  {
    title: 'jira, an issue',
    scheme: 'jira',
    secret: 'jira-secret',
    body: '{"timestamp":1767225600000,"webhookEvent":"jira:issue_created"}',
    headers: {
      'X-Atlassian-Webhook-Identifier': 'c4f2b5a0-9d2c-4d55-8f0f-4f6b2c0a7b11',
      'X-Hub-Signature': 'sha256=7222738c1ba5508274edafe806a9a2a9eb5867fcd6743045f02cf1d577fe1fa9',
    },
    isValid: true,
  },
  {
    title: 'bitbucket, published by the sender',
    scheme: 'bitbucket',
    secret: "It's a Secret to Everybody",
    body: 'Hello World!',
    headers: {
      'X-Hub-Signature': 'sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9',
    },
    isValid: true,
  },
  {
    title: 'bitbucket, a push',
    scheme: 'bitbucket',
    secret: 'bitbucket-secret',
    body: '{"push":{"changes":[]}}',
    headers: {
      'X-Event-Key': 'repo:push',
      'X-Request-UUID': '1f5b9a0c-7d9c-4c39-8f3f-0d3f2b6a9e55',
      'X-Hub-Signature': 'sha256=ecb6f059e4514fb78fde3d6a62a365fb264b51df6de59066bc0733deae871f96',
    },
    isValid: true,
  },
]
