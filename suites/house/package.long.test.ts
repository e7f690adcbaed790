// The package in somebody else's program: its types compile as strictly as possible, and the program runs.

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { install, pack, root } from '../support/packed.ts'

const run = promisify(execFile)

const program = `
import { type Emulator, type EmulatorOptions, type GatewayOptions, replay, startEmulator, startGateway } from 'flowdouble'

const options: EmulatorOptions = { clock: 'manual', seed: '7' }
const server: Emulator = await startEmulator(options)
await server.advance(100)
console.log((await fetch(server.url + '/system_stats')).status)
await server.close()
const own: GatewayOptions = {}
await (await startGateway(own)).close()
console.log(typeof replay)
`

describe('the package', () => {
  test('its types compile without skipLibCheck, in modules and for a bundler, and the program runs', async () => {
    const place = await install(await pack())
    writeFileSync(join(place, 'program.ts'), program)
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const strict = ['--ignoreConfig', '--strict', '--exactOptionalPropertyTypes', '--types', 'node']
    const flags = [...strict, '--target', 'es2023', '--skipLibCheck', 'false']
    const nodenext = ['--module', 'nodenext', 'program.ts']
    const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit']
    await run(process.execPath, [tsc, ...flags, ...bundler, 'program.ts'], { cwd: place })
    await run(process.execPath, [tsc, ...flags, ...nodenext], { cwd: place })
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: place })
    expect(stdout).toBe('200\nfunction\n')
  })

  test('its command is linked', async () => {
    const place = await install(await pack())
    const { stdout } = await run(join(place, 'node_modules/.bin/flowdouble'), ['--version'])
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test('a CommonJS program can use it too', async () => {
    const place = await install(await pack())
    const code = "console.log(Object.keys(require('flowdouble')).includes('startEmulator'))"
    const { stdout } = await run(process.execPath, ['-e', code], { cwd: place })
    expect(stdout).toBe('true\n')
  })
})
