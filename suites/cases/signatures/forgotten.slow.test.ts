// Secrets that a gateway no longer uses, or that are short: they stay redacted like those of its current routes.

import { postAll, SECRET, signed } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

proves(
  'signatures/hidden',
  async ({ gateway, url, send, idle }) => {
    gateway.subscribe('later', { secret: 'hidden-later', prompt: '{}' })
    await idle()
    // Enough entries to evict the one with the secret.
    await postAll(
      url,
      Array.from({ length: 1000 }, (_, at) => `d-${at}`),
    )
    const body = '{"echo": "hidden-later"}'
    expect((await send('POST', '/webhooks/later', body, signed(body, 'hidden-later'))).status).toBe(
      202,
    )
    gateway.remove('later')
    await idle()
    gateway.failDeliveries({ target: '*', error: 'no hidden-later here', times: 1 })
    await send('POST', '/webhooks/direct', '{}', signed('{}'))
    await idle()
    const lines = await gateway.journal()
    expect(JSON.parse(lines[0] ?? '').first).toBeGreaterThan(1)
    const journal = lines.join('\n')
    expect(journal).toContain('/webhooks/later')
    expect(journal).not.toContain('hidden-later')
    expect(journal).not.toContain(Object.values(signed(body, 'hidden-later'))[0])
    expect(shown).toContain('no <secret> here')
    expect(shown).not.toContain('hidden-later')
  },
  {
    rateLimit: 2000,
    routes: {
      hook: { secret: SECRET },
      direct: { secret: SECRET, deliver: 'slack', deliver_only: true },
    },
    onLog: ({ text, fields }) => {
      shown += text + JSON.stringify(fields)
    },
  },
)
let shown = ''

proves(
  'signatures/hidden',
  async ({ gateway, post, idle }) => {
    await post('four', { echo: 'hfou', other: 'hth' }, { 'X-Request-ID': 'd' })
    await post('three', {})
    await idle()
    const journal = (await gateway.journal()).join('\n')
    expect(journal).not.toContain('hfou')
    // A secret of three characters stays visible in a text, but not where a secret is expected.
    expect(journal).toContain('hth')
    expect(journal).not.toContain('\\"secret\\":\\"hth')
  },
  { routes: { four: { secret: 'hfou' }, three: { secret: 'hth' } } },
)
