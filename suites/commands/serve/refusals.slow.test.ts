// What `serve` refuses before it listens: flags, files, ports and addresses. The message says what to do.

import { createServer } from 'node:net'
import { test } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { runServe, withCli } from '../../support/command-line.ts'
import { listening } from '../../support/for-test.ts'
import { refusals } from '../../support/in-process.ts'
import { fileOf, textToImage } from '../../support/spawned.ts'

/** JSON that is nested deeper than engines or the server follow. */
const lists = '['.repeat(100_000) + ']'.repeat(100_000)
const accounts = [{ user: 'alice', keys: ['SECRET'], tier: 'creator' }]
const hosted = ['--deployment', 'hosted']
const wrong: Readonly<Record<string, readonly [argv: readonly string[], says: RegExp]>> = {
  'an unknown flag': [['--colour'], /--colour/],
  'node types that are not there': [
    ['--object-info', 'gone.json'],
    /Cannot read the node types: ENOENT.*\. Save one with: curl -s/,
  ],
  'a negative number': [
    ['--pace', '-5'],
    /--pace cannot be "-5": use a number from 0 to 86400000: .*\(default 5\)\.\n/,
  ],
  'a port beyond the last': [['--port', '99999'], /--port cannot be "99999"/],
  'a value that looks like a flag': [['--pace', '-x'], /--pace needs a value/],
  'a ready file in no folder': [['--ready-file', '/no/such/x'], /Cannot write the ready file/],
  'a log in no folder': [['--log', '/no/such/x'], /Cannot write the log/],
  'an unknown format of the log': [
    ['--log-format', 'xml'],
    /--log-format must be text or json, not "xml"/,
  ],
  'a missing workflow': [['--run', 'none.json'], /Cannot read the workflow/],
  'a broken workflow': [['--run', fileOf('{"1": }')], /--run: .* not valid JSON .line 1, column 7/],
  'an unknown clock': [['--clock', 'fast'], /clock cannot be "fast".*manual/],
  'a clock that stands still': [['--clock', 'x0'], /clock cannot be "x0"/],
  'an unknown quirk': [
    ['--quirk', 'no.such'],
    /quirk cannot be "no.such"[\s\S]*history.completed-on-error/,
  ],
  'a quirk of hosted': [['--quirk', 'hosted.no-free'], /quirk cannot be "hosted.no-free"/],
  'a quirk of no server': [['--deployment', 'both', '--quirk', 'no.such'], /"no.such"/],
  'a token of two words': [['--token', 'SECRET words'], /token cannot be that/],
  'a token from nowhere': [
    ['--token-env', 'NO_SUCH_VARIABLE'],
    /NO_SUCH_VARIABLE \(--token-env\) is not set/,
  ],
  'a token of a hosted server': [
    [...hosted, '--token', 'SECRET'],
    /--token applies to local servers only/,
  ],
  'a body limit of nothing': [['--max-upload-size', '0'], /--max-upload-size cannot be "0"/],
  'a missing config': [['--config', 'none.json'], /Cannot read the config/],
  'a config that is not JSON': [
    ['--config', fileOf('{"token": SECRET')],
    /config .* not valid JSON .line 1, column 11./,
  ],
  'a config of unknown options': [
    ['--config', textToImage.replace('text-to-image', 'failing')],
    /Unknown option/,
  ],
  'a value nested deeper than can be shown': [
    ['--config', fileOf(`{"seed": ${lists}}`)],
    /seed.*cannot be this list/,
  ],
  'node types nested too deeply': [
    ['--nodes', fileOf(`{"Deep": {"input": {"required": ${lists}}}}`)],
    /nested too deeply/,
  ],
  'node types that are none': [['--object-info', textToImage], /not a node type.*curl/s],
  'a journal that cannot be written': [
    ['--journal', '/no/such/folder/x'],
    /Cannot write the journal/,
  ],
  'an unknown deployment': [
    ['--deployment', 'cloud'],
    /--deployment cannot be "cloud": use one of local, hosted, both\.\n/,
  ],
  'an unknown deployment in the config': [
    ['--config', fileOf({ deployment: 7 })],
    /option "deployment" of .*"7"/,
  ],
  'a missing file of accounts': [['--accounts', 'none.json'], /file of --accounts .*ENOENT/],
  'accounts that are not JSON': [
    ['--accounts', fileOf('[{"keys": SECRET')],
    /accounts .* not valid JSON .line 1, column 11./,
  ],
  'accounts without keys': [
    ['--accounts', fileOf([{ user: 'a' }])],
    /--accounts cannot be used: account 1 .*keys/,
  ],
  'an account of no tier': [
    ['--accounts', fileOf([{ user: 'a', keys: ['SECRET'], tier: 'SECRET' }])],
    /account 1 cannot have that tier, only free, standard/,
  ],
  'an account of a name that no link can hold': [
    ['--accounts', fileOf([{ user: 'SECRET a', keys: ['SECRET'] }])],
    /account 1 cannot have that user \(.*letters, digits/,
  ],
  'accounts of a local server': [
    ['--accounts', fileOf(accounts)],
    /--accounts applies to hosted servers only: use it with --deployment hosted or both/,
  ],
  'an unknown mutant': [
    ['--mutant', 'http/empty-is-205'],
    /Did you mean http\/empty-is-204\? flowdouble mutants lists/,
  ],
  'a mutant of a hosted server': [
    ['--mutant', 'jobs/raw-words'],
    /use it with --deployment hosted or both/,
  ],
  'a mutant of a gateway': [
    ['--mutant', 'signatures/anything-goes'],
    /use it with serve --with-gateway, or with gateway run/,
  ],
  'an address of another machine': [
    ['--host', '999.1.1.1'],
    /Cannot listen on 999.1.1.1: it is not an address of this machine\./,
  ],
}

refusals(
  async (...argv) => {
    const output = await runServe('--port', '0', ...argv)
    expect(output.stderr).toContain('flowdouble serve --help')
    return output
  },
  Object.fromEntries(
    Object.entries(wrong).map(([name, row]) => [
      `serve/refuses ${name} with a message that says what to do, exit code 2 and no secret`,
      row,
    ]),
  ),
)

test.each([
  [[], 0, 'Port PORT is in use.*--port'],
  // Of both servers the other one closes as well.
  [['--deployment', 'both'], 1, 'Port \\d+ is in use'],
  [hosted, 1, 'Port PORT is in use: signed links use the port after'],
])(
  'serve/port-in-use With %j a taken port, %i after the first, is a clear message and exit code 2',
  async (flags, after, says) => {
    const { port } = await listening(createServer())
    const output = await runServe(...flags, '--port', `${port - after}`)
    const stderr = expect.stringMatching(says.replace('PORT', `${port}`))
    expect(output).toMatchObject({ code: 2, stdout: '', stderr })
  },
)

test(
  'serve/mutant-place A server that is wrong on purpose does not run as a gateway',
  withCli(async (cli) => {
    const server = await cli.run('gateway', 'run', '--mutant', 'http/empty-is-204')
    expect(server.code).toBe(2)
    expect(server.stderr).toContain('is a wrong server: use it with flowdouble serve')
  }),
)
