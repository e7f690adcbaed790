// The example clients that a README links to run exactly as written, with a hand-made hosted server and the built one.

import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'rolldown/utils'
import { expect, test } from 'vitest'
import { hostedKey } from '../../commands/run/misbehaving-hosted.ts'
import { message, startOtherHost, startMisbehaving } from '../../commands/run/misbehaving-server.ts'
import { folder } from '../../support/folder.ts'
import { start, textToImage } from '../../support/spawned.ts'
import { root } from './pages.ts'

const run = promisify(execFile)
const hasPython = spawnSync('python3', ['--version']).status === 0

const examples = join(root, 'recordings', 'examples')

/** Removes the types of the script, as Node does, and puts it below `dist`, where it finds `ws`. */
async function withoutTypes(): Promise<readonly string[]> {
  const place = join(root, 'dist', 'examples')
  const file = join(examples, 'hosted.ts')
  const { code } = await transform(file, readFileSync(file, 'utf8'))
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'hosted.js'), code)
  return [process.execPath, join(place, 'hosted.js')]
}

/** Runs a script on a workflow, and resolves to its output and the files that it downloaded. */
async function runScript(
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ stdout: string; files: Readonly<Record<string, Buffer>> }> {
  const cwd = folder()
  cpSync(textToImage, join(cwd, 'workflow.json'))
  const { PATH = '' } = process.env
  const { stdout } = await run(program, args, { cwd, env: { PATH, ...env } })
  const names = readdirSync(cwd).filter((name) => name !== 'workflow.json')
  const files = names.map((name) => [name, readFileSync(join(cwd, name))])
  return { stdout, files: Object.fromEntries(files) as Record<string, Buffer> }
}

const scripts = [
  ['hosted.ts', withoutTypes, true],
  ['hosted.py', async () => ['python3', join(examples, 'hosted.py')], hasPython],
] as const

for (const [name, prepare, isThere] of scripts) {
  test.skipIf(!isThere)(
    `the example ${name} downloads a picture, and keeps its key from the link`,
    async () => {
      const other = await startOtherHost('signed bytes')
      const location = `${other.url}/f?sig=1`
      const steps = [message('executing', { node: '3' }), message('execution_success')]
      const server = await startMisbehaving({
        steps,
        hosted: { words: ['pending', 'completed'] },
        views: { 'a.png': { status: 302, headers: { location } } },
      })
      const env = { BASE: server.url, API_KEY: hostedKey }
      const { stdout, files } = await runScript(await prepare(), env)
      expect(files).toEqual({ 'a.png': Buffer.from('signed bytes') })
      expect(other.requests).toHaveLength(1)
      expect(JSON.stringify(other.requests)).not.toContain(hostedKey)
      const asked = server.requests.map(({ path }) => path)
      const submit = ['/prompt', '/job/run-1/status', '/job/run-1/status', '/jobs/run-1', '/view']
      expect(asked).toEqual(name === 'hosted.ts' ? ['/ws', ...submit] : submit)
      if (name === 'hosted.ts') expect(stdout).toBe('executing 3\nexecution_success \n')
    },
  )
}

for (const [name, prepare, isThere] of scripts) {
  test.skipIf(!isThere)(
    `the example ${name} runs on the built server, and leaks no key`,
    async () => {
      const command = start('serve', '--deployment', 'hosted', '--port', '0', '--json')
      const { url } = JSON.parse(await command.says(/\n/)) as { url: string }
      const { files } = await runScript(await prepare(), { BASE: url })
      expect(Object.values(files).map((bytes) => bytes.subarray(1, 4).toString())).toEqual(['PNG'])
      const headers = { 'X-API-Key': 'test-key' }
      const journal = await (await fetch(`${url}/_flowdouble/journal`, { headers })).text()
      expect(journal).toContain('/api/view')
      expect(journal).not.toContain('"leak"')
      command.process.kill('SIGTERM')
      await command.ends
    },
  )
}
