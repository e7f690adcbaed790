// The paths of any local server, whatever it has done before.

import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'

/** Paths that each local server has, and that change nothing. */
const paths = [
  '/queue',
  '/history?max_items=1',
  '/prompt',
  '/system_stats',
  '/models',
  '/object_info/SaveImage',
]

proves('deployments/local-prefix', async ({ get }) => {
  for (const path of paths) {
    const { status } = await get(path)
    expect({ path, status }).toEqual({ path, status: 200 })
  }
})
