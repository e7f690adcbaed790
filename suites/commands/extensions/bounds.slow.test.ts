// The bound of what timers of a scenario send.

import { openPlain } from '../../judge/broken.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { scripted } from '../../support/scripted.ts'

proves(
  'scenario/message-every-rest',
  async (subject) => {
    const emulator = subject.emulator!
    const socket = await openPlain(subject)
    await emulator.advance(3_600_000)
    await socket.settled()
    expect(socket.of('tick').length).toBe(3600)
    await emulator.advance(2_000_000_000)
    await socket.settled()
    expect(socket.of('tick').length).toBe(100_000)
    await subject.get('/queue')
    await emulator.advance(1000)
    await socket.settled()
    expect(socket.of('tick').length).toBe(100_001)
  },
  scripted({ messages: [{ type: 'tick', everyMs: 1000 }] }),
)
