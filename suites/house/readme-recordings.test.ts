// The commands of "Record and replay" in the README work as printed, with a world in place of the reader's own server.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { start } from '../support/spawned.ts'
import { folder } from '../support/folder.ts'

const root = join(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const section = /^## Record and replay\n[\s\S]*?(?=^## )/m.exec(readme)?.[0] ?? ''

/** The printed commands, as lists of words. */
const commands = [...section.matchAll(/^npx flowdouble (.*?)(?: +#.*)?$/gm)].map(([, words = '']) =>
  words.split(' '),
)

test('the commands of the README record a run, replay it, judge it and learn from it', async () => {
  const place = folder()
  const workflow = join(root, 'recordings/workflows/text-to-image.json')
  const inFolder = /^[a-z]+\.(har|yaml)$|^again$/
  const urls = new Map<string, string>()
  /** A printed command with the addresses of this test and files in its folder. */
  const words = (index: number): readonly string[] =>
    (commands[index] ?? []).map((word, at, all) => {
      if (all[at - 1] === '--port') return '0'
      if (word === 'workflow.json') return workflow
      return urls.get(word) ?? (inFolder.test(word) ? join(place, word) : word)
    })
  const end = async (index: number, ...more: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await start(...words(index), ...more).ends
    expect({ index, code }, stdout + stderr).toEqual({ index, code: 0 })
    return stdout
  }
  const serve = async (more: readonly string[], printed: string) => {
    const server = start(...more)
    const said = await server.says(/http:\/\/127\.0\.0\.1:\d+(?!.*http)/)
    urls.set(printed, /.*(http:\/\/127\.0\.0\.1:\d+)/s.exec(said)?.[1] ?? '')
    return async (): Promise<void> => {
      server.process.kill('SIGINT')
      await server.ends
    }
  }
  const stopServer = await serve(['serve', '--port', '0'], 'http://127.0.0.1:8188')
  const stopRecording = await serve(words(0), 'http://127.0.0.1:8190')
  await end(1, '--out', join(place, 'first'))
  await stopRecording()
  const stopReplay = await serve(words(2), 'http://127.0.0.1:8191')
  await end(3)
  await stopReplay()
  const files = readdirSync(join(place, 'first'))
  expect(files.length).toBeGreaterThan(0)
  for (const file of files)
    expect(readFileSync(join(place, 'again', file))).toEqual(
      readFileSync(join(place, 'first', file)),
    )
  expect(await end(4)).toContain('0: as expected')
  // A server that has run the workflow before takes it from its cache.
  await stopServer()
  const stopAnother = await serve(['serve', '--port', '0'], 'http://127.0.0.1:8188')
  expect(await end(5)).toContain('0: as expected')
  await stopAnother()
  await end(7)
  expect(readFileSync(join(place, 'learned.yaml'), 'utf8')).toContain('Learned by flowdouble learn')
})
