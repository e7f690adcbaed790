// Arguments that name something other than a regular file: nothing waits for a pipe, a device or a folder.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'vitest'
import {
  gatewayCommand,
  runCommand,
  serveCommand,
  validateCommand,
} from '../../../dist/emulator/internal.js'
import { type Output, outputOf } from '../../support/in-process.ts'
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

const commands = {
  serve: serveCommand,
  validate: validateCommand,
  gateway: gatewayCommand,
  run: runCommand,
}
type Words = readonly [command: keyof typeof commands, ...argv: string[]]

const serve: Words = ['serve', '--port=0']
const readers: readonly Words[] = [
  [...serve, '--config'],
  [...serve, '--object-info'],
  [...serve, '--nodes'],
  [...serve, '--failures'],
  [...serve, '--accounts'],
  [...serve, '--scenario'],
  ['validate'],
  [...serve, `--tls-cert=${textToImage}`, '--tls-key'],
  [...serve, `--tls-key=${textToImage}`, '--tls-cert'],
  ['gateway', 'setup', '--enable', '--yes', '--config-dir', folder(), '--secret-file'],
  ['run'],
]

/** The end of a command, in a process that can be ended where it could wait forever. */
const endOf = ([name, ...argv]: Words, isPipe: boolean): Promise<Output> =>
  isPipe ? start(name, ...argv).ends : outputOf(commands[name], argv)

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
      const stderr = expect.stringMatching(`is a ${kind}.* regular file`)
      expect(await endOf([...words, create()], create === pipe)).toMatchObject({ code: 2, stderr })
    }
  })
}

test('serve/regular-files A file may come from standard input', async () => {
  const script = `echo '{"clock": "never"}' | "$0" "$1" serve --port=0 --config /dev/stdin`
  expect(await startProcess('sh', ['-c', script, process.execPath, main]).ends).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('clock'),
  })
})

for (const flags of [['--log'], ['--overwrite', '--journal']]) {
  const name = flags.at(-1) as string
  test(`serve/log-pipe ${name} rejects a folder, and a named pipe that no program reads`, async () => {
    for (const [path, why] of [
      [pipe(), /no program reads the named pipe .*Start its reader first/],
      [folder(), /Cannot write the (log|journal): .*director/],
    ] as const) {
      const stderr = expect.stringMatching(why)
      expect(await endOf([...serve, ...flags, path], true)).toMatchObject({ code: 2, stderr })
    }
  })

  test(`serve/log-pipe ${name} writes to a named pipe that a program reads`, async () => {
    // The shell goes on when both ends of the pipe are open.
    const script = 'cat "$2" & exec 3> "$2"; exec "$0" "$1" serve --port=0 --json'
    const words = ['-c', `${script} ${flags.join(' ')} "$2"`, process.execPath, main, pipe()]
    await logsRequest(startProcess('sh', words), 'says')
  })
}

test('serve/log-pipe --log /dev/stdout and /dev/stderr write to the streams of the command', async () => {
  await logsRequest(start('serve', '--port=0', '--json', '--log=/dev/stdout'), 'says')
  await logsRequest(start('serve', '--port=0', '--json', '--quiet', '--log=/dev/stderr'), 'logs')
})

/** Sends a request to a server, and waits for its line on one of the outputs. */
async function logsRequest(command: Command, output: 'says' | 'logs'): Promise<void> {
  const [, url] = /"url":"([^"]+)"/.exec(await command.says(/"url":"[^"]+"/)) ?? []
  await fetch(`${url}/queue`)
  await command[output](/\/queue/)
  await command.stop()
}
