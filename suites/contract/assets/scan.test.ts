// Scans, which make assets of the files in the folders.

import { pruneReply, scanReply, scanState } from '../../../spec/assets/assets.ts'
import { violations } from '../../judge/judge.ts'
import { ask, listed, refusalOf } from '../../judge/own-assets.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const on = { assets: true }

proves(
  'assets/scan',
  async (subject) => {
    const { total } = await listed(subject, 'limit=1')
    const waited = await ask(subject, 'POST', '/api/assets/seed?wait=true')
    expect({ status: waited.status, wrong: violations(scanReply, waited.json()) }).toEqual({
      status: 200,
      wrong: [],
    })
    const { progress, ...rest } = waited.json()
    expect(rest).toEqual({ status: 'completed', errors: [] })
    expect(progress.created + progress.skipped).toBe(progress.total)
    const started = await ask(subject, 'POST', '/api/assets/seed', {})
    expect({ status: started.status, json: started.json() }).toEqual({
      status: 202,
      json: { status: 'started' },
    })
    // What is an asset already is not made one again.
    expect((await listed(subject, 'limit=1')).total).toBeGreaterThanOrEqual(total)
  },
  on,
)

proves(
  'assets/scan-roots',
  async (subject) => {
    const scanned = async (body: unknown): Promise<number> =>
      (await ask(subject, 'POST', '/api/assets/seed?wait=1', body)).json().progress.total
    const all = await scanned({})
    const models = await scanned({ roots: ['models'] })
    const others = await scanned({ roots: ['input', 'output', 'nowhere'] })
    expect(models).toBeGreaterThan(0)
    expect(models + others).toBe(all)
    // A body that is not JSON counts as none.
    expect(await scanned('no JSON')).toBe(all)
    for (const roots of [[], ['nowhere'], 'input', {}]) {
      const reply = await ask(subject, 'POST', '/api/assets/seed', { roots })
      expect({ roots, refusal: refusalOf(reply) }).toEqual({ roots, refusal: '400 INVALID_BODY' })
      expect(reply.json().error.message).toBe('No valid roots specified')
    }
  },
  on,
)

proves(
  'assets/scan-state',
  async (subject) => {
    const { json } = await ask(subject, 'POST', '/api/assets/seed?wait=yes')
    const state = await ask(subject, 'GET', '/api/assets/seed/status')
    expect(violations(scanState, state.json())).toEqual([])
    expect(state.json()).toEqual({ state: 'IDLE', progress: json().progress, errors: [] })
    const cancelled = await ask(subject, 'POST', '/api/assets/seed/cancel')
    expect({ status: cancelled.status, json: cancelled.json() }).toEqual({
      status: 200,
      json: { status: 'idle' },
    })
    const pruned = await ask(subject, 'POST', '/api/assets/prune')
    expect(violations(pruneReply, pruned.json())).toEqual([])
    expect(pruned.json()).toEqual({ status: 'completed', marked: 0 })
  },
  on,
)

proves(
  'assets/scan-messages',
  async (subject) => {
    const sessions = [
      await subject.connect(subject.unique('one')),
      await subject.connect(subject.unique('two')),
    ]
    const roots = ['models', 'input']
    const { progress } = (
      await ask(subject, 'POST', '/api/assets/seed?wait=true', { roots })
    ).json()
    const { total, created, skipped } = progress
    for (const session of sessions) {
      await session.next(({ type }) => type === 'assets.seed.completed')
      const messages = session.messages().filter(({ type }) => type.startsWith('assets.'))
      expect(messages).toMatchObject([
        { type: 'assets.seed.started', data: { roots, total, phase: 'fast' } },
        { type: 'assets.seed.fast_complete', data: { roots, created, skipped, total } },
        { type: 'assets.seed.started', data: { roots, phase: 'enrich' } },
        { type: 'assets.seed.enrich_complete', data: { roots } },
        { type: 'assets.seed.completed', data: { phase: 'full', total, created, skipped } },
      ])
    }
  },
  on,
)
