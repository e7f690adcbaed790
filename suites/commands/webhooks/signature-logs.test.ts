// What the log of a gateway says of a signature that it refuses.

import { gzipSync } from 'node:zlib'
import { SECRET, signed } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

proves(
  'webhooks/log-signatures',
  async ({ send, logs }) => {
    const body = '{}'
    const hub = 'X-Hub-Signature-256'
    const digest = signed(body)[hub]?.slice('sha256='.length) ?? ''
    const to = async (
      headers: Readonly<Record<string, string>>,
      name = 'hook',
      sent: string | Uint8Array = body,
    ): Promise<void> => {
      expect((await send('POST', `/webhooks/${name}`, sent, headers)).status).toBe(401)
    }
    await to({ [hub]: digest })
    await to({ [hub]: `sha256=${digest.toUpperCase()}` })
    await to({ [hub]: `sha256=${Buffer.from(digest, 'hex').toString('base64')}` })
    await to(signed('{ }'))
    await to({ 'X-Hub-Signature': `sha1=${digest.slice(0, 40)}`, 'X-Own-Hmac': 'guess' })
    // A route that names its scheme says which others came.
    await to({ ...signed(body), 'X-Gitlab-Token': 'guess', Authorization: 'guess' }, 'shop')
    await to({}, 'bearer')
    const packed = { 'Content-Encoding': 'gzip' }
    await to({ ...signed('{ }'), ...packed }, 'hook', gzipSync(body))
    await to({ ...signed('{ }'), ...packed }, 'hook', gzipSync(body).subarray(4))
    await to({ ...signed('{ }'), 'Content-Encoding': 'zstd' })
    await to({ ...signed('{ }'), 'Content-Encoding': 'a\tb' })
    const length = gzipSync(body).length
    const match = 'the signature does not match'
    expect(logs.map(({ fields }) => fields['reason'])).toEqual(
      [
        `github (${hub}): "sha256=" is missing in front of the signature (Content-Length 2)`,
        `github (${hub}): ${match}: it is 64 characters of hex with capitals, not 64 characters of lower-case hex (Content-Length 2)`,
        `github (${hub}): ${match}: it is 44 characters of base64, not 64 characters of lower-case hex (Content-Length 2)`,
        `github (${hub}): ${match} (Content-Length 2)`,
        'bitbucket (X-Hub-Signature): "sha256=" is missing in front of the signature; it also has x-own-hmac (Content-Length 2)',
        'shopify (X-Shopify-Hmac-SHA256): the signature is missing; it also has authorization, x-gitlab-token, x-hub-signature-256 (Content-Length 2)',
        'bearer (Authorization): the header is missing (Content-Length 2)',
        `github (${hub}): ${match} (Content-Length ${length}, packed with gzip)`,
        `github (${hub}): ${match} (Content-Length ${length - 4}, packed with gzip, which could not be unpacked)`,
        `github (${hub}): ${match} (Content-Length 2, packed with zstd, which could not be unpacked)`,
        `github (${hub}): ${match} (Content-Length 2)`,
      ].map((reason) => `Invalid signature: ${reason}`),
    )
    expect(JSON.stringify(logs)).not.toContain('guess')
  },
  {
    routes: {
      hook: { secret: SECRET },
      shop: { secret: SECRET, scheme: 'shopify' },
      bearer: { secret: SECRET, scheme: 'bearer' },
    },
  },
)

proves('webhooks/log-refusals', async ({ send, logs }) => {
  const zstd = { 'Content-Encoding': 'zstd' }
  await send('POST', '/webhooks/hook', 'x', { ...signed('x'), ...zstd })
  expect(logs.map(({ text }) => text)).toEqual([
    'post hook refused: Cannot parse body: packed with zstd, which could not be unpacked (from 127.0.0.1)',
  ])
})
