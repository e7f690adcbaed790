// The inspector of a world with a token, without a browser: what it does with the token. page.long.test.ts of the shared
// servers asks a real one.

import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { subjectOf } from '../../judge/subject.ts'
import { openFakePage } from '../../support/browser/fake-page.ts'

proves(
  'inspector/token',
  async ({ emulator }) => {
    const world = await emulator!.world({ name: 'one', worldToken: 'chosen+by/its=owner' })
    await subjectOf(world).submit(solid())
    const run = world.runs()[0]!.prompt_id
    const isShown = (texts: readonly string[]) => texts.some((text) => text.includes(run))
    const opened = async (hash: string) => {
      const page = await openFakePage(world.url, hash)
      await page.drawn()
      return page
    }
    for (const hash of ['#token=chosen+by/its=owner', '#token=chosen%2Bby%2Fits%3Downer']) {
      const page = await opened(hash)
      await page.go('e0')
      expect([page.hash(), isShown(page.texts())]).toEqual(['#e0', true])
      page.close()
    }
  },
  { shared: true, controlToken: 'token-of-the-admin', clock: 'manual' },
)
