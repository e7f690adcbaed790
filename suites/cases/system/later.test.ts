// The feature flags of servers of 2026.

import { featureFlags } from '../../../spec/server/messages.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { missing } from '../../judge/skip.ts'
import { expect } from '../../judge/expect.ts'

const names = [
  'supports_preview_metadata',
  'supports_model_type_tags',
  'max_upload_size',
  'extension',
  'node_replacements',
  'assets',
]

proves('system/feature-flags', async ({ connect, get }) => {
  const flags = (await get('/features')).json()
  expect(violations(featureFlags, flags)).toEqual([])
  expect(Object.keys(flags).slice(0, names.length)).toEqual(names)
  expect(flags).toMatchObject({
    supports_model_type_tags: true,
    extension: { manager: { supports_v4: true } },
    node_replacements: true,
  })
  // The flag says what the paths of assets do.
  expect((await get('/api/assets')).status).toBe(flags.assets === true ? 200 : 503)
  const session = await connect()
  session.send('{"type": "feature_flags", "data": {}}')
  expect((await session.next(({ type }) => type === 'feature_flags')).data).toEqual(flags)
})

proves(
  'system/feature-flags',
  async ({ get }) => {
    const flags = (await get('/features')).json()
    if (flags.assets === false && (await get('/api/assets')).status === 503)
      throw missing('The assets of the server are off.')
    expect(flags).toMatchObject({ assets: true })
    expect((await get('/api/assets')).status).toBe(200)
  },
  { assets: true },
)

proves(
  'system/own-flags',
  async ({ get }) => {
    const { text } = await get('/features')
    const flags = JSON.parse(text) as Record<string, unknown>
    expect(Object.keys(flags)).toEqual([...names, 'show_signin_button', 'mine', 'bare', 'a'])
    expect(flags).toMatchObject({
      supports_preview_metadata: true,
      max_upload_size: 52_428_800,
      assets: false,
      show_signin_button: true,
      mine: 'x=y',
      bare: 'true',
      a: '',
    })
    // A limit that is set is a float.
    expect(text).toContain('52428800.0')
  },
  {
    maxUploadSize: 50,
    featureFlag: [
      'show_signin_button',
      'mine=x=y',
      'enable_telemetry=perhaps',
      'assets=true',
      'max_upload_size=1',
      'bare',
      'a=',
    ],
  },
)
