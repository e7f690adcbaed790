// Unusual targets that break no rule: below a path prefix, with explained replies, with NaN and long strings.

import { connect, createServer, type AddressInfo } from 'node:net'
import { startEmulator } from 'flowdouble'
import { test } from 'vitest'
import { pythonJson } from '../../../judge/connection/python-json.ts'
import { expect } from '../../../judge/expect.ts'
import { start } from '../../../support/spawned.ts'

const prefix = '/comfyui'

/** A proxy that takes the prefix from the paths of requests, and the request lines without one. */
async function proxyTo(port: number) {
  const outside: string[] = []
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1')
    client.on('data', (bytes: Buffer) => {
      const text = bytes
        .toString('latin1')
        .replace(
          /^([A-Z]+ )(\S+)(?= HTTP\/1\.[01]\r\n)/gm,
          (line, method: string, path: string) => {
            if (path.startsWith(`${prefix}/`)) return method + path.slice(prefix.length)
            outside.push(line)
            return line
          },
        )
      target.write(Buffer.from(text, 'latin1'))
    })
    target.on('data', (bytes) => client.write(bytes))
    client.on('end', () => target.end()).on('error', () => target.destroy())
    target.on('end', () => client.end()).on('error', () => client.destroy())
    client.on('close', () => target.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: own } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${own}${prefix}`, outside, close: () => server.close() }
}

test('check/prefix A check of a server below a prefix asks below it alone, and judges it as without one.', async () => {
  const emulator = await startEmulator({ port: 0, clock: 'instant' })
  const proxy = await proxyTo(emulator.port)
  try {
    const { code, stdout } = await start('check', proxy.url, '--json', '--read-only').ends
    const failed = stdout.split('\n').filter((line) => line.includes('"verdict":"fail"'))
    expect(failed.map((line) => JSON.parse(line).title as string)).toEqual([])
    expect(code).toBe(0)
    expect([...new Set(proxy.outside)].filter((line) => / \//.test(line))).toEqual([])
  } finally {
    proxy.close()
    await emulator.close()
  }
})

test.each(['local', 'hosted'] as const)(
  'check/explained A check of a %s server that explains its replies finds no broken rule of HTTP.',
  async (deployment) => {
    const server = await startEmulator({ deployment, clock: 'instant', explain: true })
    const key = deployment === 'hosted' ? ['--key', 'test-key'] : []
    const { code, stdout } = await start('check', server.url, ...key, '--only', 'http').ends
    await server.close()
    expect(code, stdout).toBe(0)
  },
)

for (const [name, part] of [
  ['without escapes', 'NaN '],
  ['of escapes', '"\\"NaN" \\ '],
] as const)
  test(`check/long-strings A string of 20 MB ${name} beside NaN and infinities is read as any other.`, () => {
    const value = part.repeat(20_000_000 / part.length)
    const text = `{"a": NaN, "b": [-Infinity, Infinity, "NaN"], "c": ${JSON.stringify(value)}}`
    const { c, ...rest } = pythonJson(text) as { readonly c: string }
    expect(rest).toEqual({ a: null, b: [null, null, 'NaN'] })
    expect(c === value).toBe(true)
  })
