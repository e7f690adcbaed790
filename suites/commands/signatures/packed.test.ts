// Packed bodies in the journal: without secrets, and so that a replay validates them as the gateway did.

import { gunzipSync, gzipSync } from 'node:zlib'
import { replayGateway } from 'flowdouble'
import { SECRET, signed } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

proves('signatures/hidden', async ({ gateway, send, idle }) => {
  const plain = '{"n": 1}'
  const revealing = JSON.stringify({ echo: SECRET })
  const cases: [sent: Buffer, of: string | Uint8Array, status: number][] = []
  for (const text of [plain, revealing]) {
    const packed = gzipSync(text)
    cases.push([packed, packed, 202], [packed, text, 202], [packed, 'other', 401])
    cases.push([packed.subarray(0, -9), packed.subarray(0, -9), 400])
  }
  const statuses: number[] = []
  for (const [sent, of] of cases) {
    const headers = { ...signed(of), 'Content-Encoding': 'gzip' }
    statuses.push((await send('POST', '/webhooks/hook', sent, headers)).status)
  }
  expect(statuses).toEqual(cases.map(([, , status]) => status))
  await idle()
  const lines = await gateway.journal()
  const inputs = lines.slice(1).map((line) => JSON.parse(line).input)
  const packedTexts = inputs.flatMap(({ packedBase64 }) =>
    packedBase64 === undefined ? [] : Buffer.from(packedBase64, 'base64'),
  )
  expect(packedTexts).toHaveLength(6)
  const shown = packedTexts.map((bytes) =>
    (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString(),
  )
  expect(shown.slice(0, 3)).toEqual([plain, plain, plain])
  for (const text of shown) expect(text).not.toContain(SECRET)
  expect(lines.join('\n')).not.toContain(SECRET)
  expect(replayGateway(lines)).toEqual({ entries: inputs.length, differs: null })
  // Whoever looks at what was received sees the payload.
  const [first] = (await gateway.requests()).map(({ body }) => body)
  expect(first).toEqual({ n: 1 })
})
