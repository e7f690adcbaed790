// Two gateways and one store in a file.

import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { newStorePath, postText, startStored } from '../../support/stores/gateways.ts'

proves('store/one-owner', async () => {
  const path = newStorePath()
  const first = await startStored(path)
  await expect(startStored(path)).rejects.toThrow(
    new RegExp(`^Another gateway, process ${process.pid}, uses .*gateway.sqlite: stop it first`),
  )
  expect((await postText(first, 'ci', 'a', 'one')).status).toBe(202)
  await first.close()
  await (await startStored(path)).close()
})
