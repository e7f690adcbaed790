// Uploads that the server refuses silently: an ordinary answer, about which its terminal shows nothing.

import { vi } from 'vitest'
import { formOf, formsWithoutText } from '../../generate/form.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

proves(
  'files/upload-text-bytes',
  async ({ request }) => {
    const said = vi.spyOn(process.stderr, 'write')
    for (const path of ['/upload/image', '/upload/mask'])
      for (const parts of formsWithoutText) await request('POST', path, ...formOf(...parts))
    const calls = said.mock.calls.flat()
    said.mockRestore()
    expect(calls).toEqual([])
  },
  ownWorld,
)
