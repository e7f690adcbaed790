// Scans, which make assets of the files in the folders.

import { pruneReply, scanReply, scanState } from '../../../spec/assets/assets.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { ask, asks, listed, provesAssets, refusing } from '../../judge/own-assets.ts'
import { put } from '../../judge/own-files.ts'
import { withEach } from '../../judge/rows.ts'
import { expect } from '../../judge/expect.ts'
import type { Session } from '../../judge/client.ts'
import type { Reply } from '../../judge/reply.ts'
import type { Subject } from '../../judge/subject.ts'

/** How long a case looks for the end of another scan, in milliseconds, and how often. */
const PAUSE_MS = 100
const LOOKS = 100

/** Scans and waits for the end, behind scans that others have started: a server does one at a time. */
async function scan(subject: Subject, wait: string, body?: unknown): Promise<Reply> {
  for (let looks = LOOKS; ; looks--) {
    const reply = await ask(subject, 'POST', `/api/assets/seed?wait=${wait}`, body)
    if (reply.status !== 409 || looks === 0) return reply
    // Meanwhile the clock passes.
    const session = await subject.connect(subject.unique('waiting'))
    await subject.reach(session, () => false, PAUSE_MS).catch(() => undefined)
  }
}

provesAssets('assets/scan', async (subject) => {
  const { total } = await listed(subject, 'limit=1')
  const waited = await scan(subject, 'true')
  const { progress, ...rest } = fitting(scanReply, waited)
  expect(rest).toEqual({ status: 'completed', errors: [] })
  // What has changed without being new is neither.
  const known: number = progress.created + progress.skipped
  if (subject.isOwn) expect(known).toBe(progress.total)
  expect(known).toBeLessThanOrEqual(progress.total)
  await asks(subject, [['POST', '/api/assets/seed', {}, 202, { status: 'started' }]])
  // What is an asset already is not made one again.
  expect((await listed(subject, 'limit=1')).total).toBeGreaterThanOrEqual(total)
})

provesAssets('assets/scan-roots', async (subject) => {
  const scanned = async (body: unknown): Promise<number> =>
    (await scan(subject, '1', body)).json().progress.total
  const all = await scanned({})
  const models = await scanned({ roots: ['models'] })
  const others = await scanned({ roots: ['input', 'output', 'nowhere'] })
  expect(models).toBeGreaterThan(0)
  expect(models + others).toBe(all)
  // A body that is not JSON counts as none.
  expect(await scanned('no JSON')).toBe(all)
  const wrong = [[], ['nowhere'], 'input', {}].map((roots) => ({ roots }))
  const refused = refusing('INVALID_BODY', { message: 'No valid roots specified' })
  await asks(subject, withEach(wrong, 'POST', '/api/assets/seed', 400, refused))
})

provesAssets('assets/scan-state', async (subject) => {
  const { json } = await scan(subject, 'yes')
  const state = fitting(scanState, await ask(subject, 'GET', '/api/assets/seed/status'))
  expect(state).toEqual({ state: 'IDLE', progress: json().progress, errors: [] })
  const pruned = { status: 'completed', marked: 0 }
  await asks(subject, [['POST', '/api/assets/seed/cancel', undefined, 200, { status: 'idle' }]])
  fitting(pruneReply, await ask(subject, 'POST', '/api/assets/prune'))
  await asks(subject, [['POST', '/api/assets/prune', undefined, 200, pruned]])
})

provesAssets('assets/prune-temporary', async (subject) => {
  const found = async () => (await listed(subject, 'include_tags=temp&limit=1')).total
  const bytes = Buffer.from(subject.unique('shown'))
  await put(subject, { name: 'shown.txt', bytes }, { type: 'temp' })
  const before = await found()
  expect(before).toBeGreaterThan(0)
  const { status, marked } = (await ask(subject, 'POST', '/api/assets/prune')).json()
  expect({ status, left: await found() }).toEqual({ status: 'completed', left: 0 })
  expect(marked).toBeGreaterThanOrEqual(before)
})

provesAssets('assets/scan-messages', async (subject) => {
  // No messages of another scan come in between.
  await scan(subject, 'true')
  const sessions = [
    await subject.connect(subject.unique('one')),
    await subject.connect(subject.unique('two')),
  ]
  const roots = ['models', 'input']
  const { total, created, skipped } = (await scan(subject, 'true', { roots })).json().progress
  /** The messages of this scan, without those of how far a slow server is. */
  const ofScan = ({ scans }: Session) => {
    const others = scans.filter(({ type }) => type !== 'assets.seed.progress')
    const from = others.findLastIndex(({ data }) => data['phase'] === 'fast')
    return others.slice(from, from + 5)
  }
  for (const session of sessions) {
    await session.until(() => ofScan(session).at(-1)?.type === 'assets.seed.completed')
    expect(ofScan(session)).toMatchObject([
      { type: 'assets.seed.started', data: { roots, total, phase: 'fast' } },
      { type: 'assets.seed.fast_complete', data: { roots, created, skipped, total } },
      { type: 'assets.seed.started', data: { roots, phase: 'enrich' } },
      { type: 'assets.seed.enrich_complete', data: { roots } },
      { type: 'assets.seed.completed', data: { phase: 'full', total, created, skipped } },
    ])
  }
})
