// The feature flags of a server.

import { featureFlags, hostedFeatures } from '../../../spec/server/messages.ts'
import { talking } from '../../generate/graphs.ts'
import { cancelAll, isAtWork, keepBusy } from '../../judge/hosted/busy-account.ts'
import { cancel, fitting, isOf, submitOne } from '../../judge/hosted/jobs.ts'
import { proves } from '../../judge/proves.ts'
import { missing } from '../../judge/skip.ts'
import { expect } from '../../judge/expect.ts'

proves('system/features', async ({ connect, deployment, get }) => {
  const flags = fitting(
    { local: featureFlags, hosted: hostedFeatures }[deployment],
    await get('/features'),
  )
  expect(Number.isInteger(flags.max_upload_size)).toBe(true)
  if (deployment === 'hosted') return
  expect(flags).toMatchObject({ supports_preview_metadata: true })
  const session = await connect()
  session.send('{"type": "feature_flags", "data": {}}')
  expect((await session.next(({ type }) => type === 'feature_flags')).data).toEqual(flags)
})

const endings = new Set(['execution_success', 'execution_interrupted'])

proves('system/hosted-features', async (subject) => {
  const { max_concurrent_jobs } = fitting(hostedFeatures, await subject.get('/features'))
  expect(max_concurrent_jobs).toSatisfy((most) => Number.isInteger(most) && most > 0)
  // What is submitted while so many are at work starts when one of them has ended.
  const session = await subject.connect()
  const busy = await keepBusy(subject)
  await subject.reach(session, isAtWork(busy.at(-1) as string))
  const next = await submitOne(subject, talking())
  await cancel(subject, busy[0])
  await subject.reach(session, isOf('execution_start', next))
  const messages = session.messages()
  const starts = messages.findIndex(isOf('execution_start', next))
  const isEnd = messages
    .slice(0, starts)
    .some(({ type, data }) => endings.has(type) && busy.includes(String(data['prompt_id'])))
  expect({ isEnd }).toEqual({ isEnd: true })
  await cancelAll(subject, busy)
})

const names = [
  'supports_preview_metadata',
  'supports_model_type_tags',
  'max_upload_size',
  'extension',
  'node_replacements',
  'assets',
]

proves('system/feature-flags', async ({ connect, get }) => {
  const flags = fitting(featureFlags, await get('/features'))
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
