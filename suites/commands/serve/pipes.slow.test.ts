// Arguments that name something other than a regular file: nothing waits for a pipe, a device or a folder.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'vitest'
import { type Command, main, start, startProcess, textToImage } from '../../support/spawned.ts'
import { isLong } from '../../support/effort.ts'
import { folder } from '../../support/folder.ts'
import { expect } from '../../judge/expect.ts'

/** A named pipe that no program has opened. */
function pipe(): string {
  const path = join(folder(), 'pipe')
  execFileSync('mkfifo', [path])
  return path
}

const serve = ['serve', '--port=0']
const setUp = ['gateway', 'setup', '--enable', '--yes', '--config-dir', folder()]
const readers: readonly (readonly string[])[] = [
  [...serve, '--config'],
  [...serve, '--object-info'],
  [...serve, '--nodes'],
  [...serve, '--failures'],
  [...serve, '--accounts'],
  [...serve, '--scenario'],
  ['validate'],
  [...serve, `--tls-cert=${textToImage}`, '--tls-key'],
  [...serve, `--tls-key=${textToImage}`, '--tls-cert'],
  [...setUp, '--secret-file'],
  ['run'],
]

const irregular = [
  ['named pipe', pipe],
  ['folder', folder],
  ['device', () => '/dev/zero'],
] as const

for (const [at, words] of readers.entries()) {
  const name = words.at(-1) as string
  // In the sample each of them is tried with one kind of file, the first with all.
  const kinds = isLong || at === 0 ? irregular : [irregular[at % irregular.length]!]
  const rejected = kinds.map(([kind]) => `a ${kind}`).join(', ')
  test(`serve/regular-files ${name} rejects ${rejected}, and says what to give`, async () => {
    for (const [kind, create] of kinds) {
      const { code, stderr } = await start(...words, create()).ends
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(new RegExp(`is a ${kind}.* regular file`)),
      })
    }
  })
}

test('serve/regular-files A file may come from standard input', async () => {
  const script = `echo '{"clock": "never"}' | "$0" "$1" serve --port=0 --config /dev/stdin`
  const { code, stderr } = await startProcess('sh', ['-c', script, process.execPath, main]).ends
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/clock/) })
})

for (const flags of [['--log'], ['--overwrite', '--journal']]) {
  const name = flags.at(-1) as string
  test(`serve/log-pipe ${name} rejects a folder, and a named pipe that no program reads`, async () => {
    for (const [path, why] of [
      [pipe(), /no program reads the named pipe .*Start its reader first/],
      [folder(), /Cannot write the (log|journal): .*director/],
    ] as const) {
      const { code, stderr } = await start(...serve, ...flags, path).ends
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(why) })
    }
  })

  test(`serve/log-pipe ${name} writes to a named pipe that a program reads`, async () => {
    // The shell goes on when both ends of the pipe are open.
    const script = 'cat "$2" & exec 3> "$2"; exec "$0" "$1" serve --port=0 --json'
    const command = startProcess('sh', [
      '-c',
      `${script} ${flags.join(' ')} "$2"`,
      process.execPath,
      main,
      pipe(),
    ])
    await logsRequest(command)
  })
}

test('serve/log-pipe --log /dev/stdout and /dev/stderr write to the streams of the command', async () => {
  await logsRequest(start('serve', '--port=0', '--json', '--log=/dev/stdout'))
  const command = start('serve', '--port=0', '--json', '--quiet', '--log=/dev/stderr')
  await request(command)
  await command.logs(/GET \/queue/)
  command.process.kill('SIGTERM')
  expect((await command.ends).code).toBe(0)
})

async function request(command: Command): Promise<void> {
  const [, url] = /"url":"([^"]+)"/.exec(await command.says(/"url":"[^"]+"/)) ?? []
  await fetch(`${url}/queue`)
}

/** Sends a request, and waits for it on standard output. */
async function logsRequest(command: Command): Promise<void> {
  await request(command)
  await command.says(/\/queue/)
  command.process.kill('SIGTERM')
  expect((await command.ends).code).toBe(0)
}
