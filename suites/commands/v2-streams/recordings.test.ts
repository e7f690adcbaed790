// Event streams in recordings: a world exports them whole, and a replay serves what was recorded.

import { startReplay } from 'flowdouble'
import { readRecording } from '../../../dist/emulator/internal.js'
import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { eventsIn, v2Of } from '../../judge/hosted/v2.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { forTest } from '../../support/for-test.ts'

/** A text without the signatures of its links, which a recording hides. */
const unsigned = (text: string): string => text.replace(/Signature=[^"]+/g, '')

proves(
  ['control/recording', 'v2-streams/form'],
  async (subject) => {
    const { job, stream, submit, cancel } = await v2Of(subject)
    const { id } = await submit(solid())
    const whole = await stream(id)
    await subject.idle()
    await whole.ended
    await job(id)
    const other = await submit(solid(1))
    const open = await stream(other.id)
    await cancel(other.id)
    const left = await submit(solid(2))
    const begun = await stream(left.id)
    const text = await subject.emulator!.recording()
    const { exchanges } = readRecording(text, 'recording')
    const bodies = exchanges
      .filter(({ url }) => url.endsWith('/events'))
      .map(({ response }) => Buffer.from(response?.body ?? []).toString())
    expect(unsigned(bodies[0] ?? '')).toBe(unsigned(whole.text()))
    await open.ended
    expect(bodies[1]).toBe(open.text())
    // It was still open.
    expect(eventsIn(bodies[2] ?? '').map(({ data }) => data.status)).toEqual(['queued'])
    begun.close()
    const replay = await forTest(startReplay({ recording: JSON.parse(text), clock: 'instant' }))
    const asked = { headers: { Authorization: 'Bearer any' } }
    const played = await fetch(`${replay.url}/api/v2/jobs/${id}/events`, asked)
    expect(played.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const seen = eventsIn(await played.text()).map(({ name, data }) => data?.status ?? name)
    expect(seen).toEqual(eventsIn(whole.text()).map(({ name, data }) => data?.status ?? name))
    const again = await fetch(`${replay.url}/api/v2/jobs/${id}`, asked)
    expect(((await again.json()) as { status: string }).status).toBe('succeeded')
  },
  { ...ownWorld, deployment: 'hosted' },
)
