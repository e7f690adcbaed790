// What nodes compute, by a selection of recorded results: a few lines of each type.

import { exceptionFaults, recordedFaults } from '../../judge/nodes/recorded.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import type { RecordedFamily } from '../../nodes/select.ts'
import type { Subject } from '../../judge/subject.ts'

const asRecorded =
  (family: RecordedFamily) =>
  async (subject: Subject): Promise<void> => {
    expect(await recordedFaults(subject, family)).toEqual([])
  }

proves('nodes/texts', asRecorded('texts'))
proves('nodes/expressions', asRecorded('expressions'))
proves(['nodes/pixels', 'nodes/sizes'], asRecorded('pictures'))
proves('nodes/masks', asRecorded('masks'))
proves(['nodes/scaled', 'nodes/sizes'], asRecorded('scaled'))
proves('nodes/latents', asRecorded('latents'))
proves('nodes/sigmas', asRecorded('sigmas'))
proves('nodes/exceptions', async (subject) => {
  expect(await exceptionFaults(subject)).toEqual([])
})

proves('nodes/hosted-same', async (subject) => {
  for (const family of ['texts', 'expressions', 'pictures', 'masks', 'scaled', 'sigmas'] as const)
    expect(await recordedFaults(subject, family)).toEqual([])
})
