// Records that the first requests after the end of a run miss.

import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { wordOf } from '../../judge/hosted/jobs.ts'
import { v2Of } from '../../judge/hosted/v2.ts'
import { proves } from '../../judge/proves.ts'
import { scripted } from '../../support/scripted.ts'

proves(
  'scenario/history-lag-polls',
  async ({ emulator, submit, idle, history, finished, queue }) => {
    const { prompt_id } = (await submit(solid())).json()
    // Requests before its end do not count.
    expect(await finished(prompt_id)).toBeUndefined()
    await idle()
    const fork = emulator!.snapshot()
    for (const round of ['first', 'restored']) {
      expect(await finished(prompt_id), round).toBeUndefined()
      expect(await history(), round).toEqual([])
      // A request for something else does not count either, and the run does not run any more.
      expect(await queue(), round).toMatchObject({ running: [], pending: [] })
      expect(await finished(prompt_id), round).toBeUndefined()
      expect((await finished(prompt_id))?.status.status_str, round).toBe('success')
      expect(await history(), round).toEqual([prompt_id])
      await emulator!.restore(fork)
    }
  },
  scripted({ runs: [{ run: 1, historyLagPolls: 3 }] }),
)

proves(
  'scenario/history-lag-polls',
  async ({ submit, idle, history }) => {
    const ids: string[] = []
    for (const seed of [1, 2, 3]) ids.push((await submit(solid(seed))).json().prompt_id)
    await idle()
    // Each run counts for itself; a list counts for all that it misses.
    const seen = [await history(), await history(), await history()]
    expect(seen.map((one) => one.toSorted())).toEqual([
      [ids[1]],
      ids.slice(1).toSorted(),
      ids.toSorted(),
    ])
  },
  scripted({
    runs: [
      { run: 1, historyLagPolls: 2 },
      { run: 3, historyLagPolls: 1 },
    ],
  }),
)

proves(
  'scenario/history-lag-polls-jobs',
  async ({ submit, idle, get, finished }) => {
    const { prompt_id } = (await submit(solid())).json()
    await idle()
    expect((await get(`/api/jobs/${prompt_id}`)).status).toBe(404)
    expect((await get('/api/jobs')).json().jobs).toEqual([])
    expect(await finished(prompt_id)).toBeUndefined()
    expect((await get(`/api/jobs/${prompt_id}`)).json()).toMatchObject({ status: 'completed' })
    expect((await get('/api/jobs')).json().jobs).toHaveLength(1)
  },
  scripted({ runs: [{ historyLagPolls: 3 }] }, { like: 'comfyui-0.27' }),
)

proves(
  'scenario/job-lag-polls',
  async (subject) => {
    const { submit, idle, history, get } = subject
    const { prompt_id } = (await submit(solid())).json()
    const { stream, job } = await v2Of(subject)
    const events = await stream(prompt_id)
    await idle()
    expect(await events.ended).toBe('whole')
    expect(events.seen().at(-1)).toMatchObject({ name: 'status', data: { status: 'succeeded' } })
    expect(await history()).toEqual([prompt_id])
    expect(await wordOf(subject, prompt_id)).toBe('in_progress')
    expect((await get('/jobs')).json().jobs[0].status).toBe('in_progress')
    expect((await job(prompt_id)).status).toBe('running')
    expect(await wordOf(subject, prompt_id)).toBe('completed')
    expect((await get('/jobs')).json().jobs[0].status).toBe('completed')
  },
  scripted({ runs: [{ jobLagPolls: 3 }] }),
)
