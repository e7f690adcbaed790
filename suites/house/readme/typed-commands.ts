// Types each command of pages from top to bottom, in an empty folder with the packed package: it does what the page says.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sign } from '@octokit/webhooks-methods'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksOf, linesOf, type Page, root } from './pages.ts'
import { openTerminal, type Output, type Terminal } from './terminal.ts'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly scripts: Readonly<Record<string, string>>
}

/** The lines that do the same without a network and without running the suites in themselves. */
const instead: Readonly<Record<string, () => readonly string[]>> = {
  'npm ci && npm start': () => {
    const [build, start = ''] = manifest.scripts['start']?.split(' && ') ?? []
    expect(build).toBe('npm run build')
    return [start.replace('node dist/bundle/main.cjs', 'npx flowdouble')]
  },
  'npm ci && npm test': () => {
    expect(manifest.scripts['test']).toBe('vitest run')
    return []
  },
  [`npm install --save-dev ../flowdouble/flowdouble-${manifest.version}.tgz`]: () => [],
}

type Session = {
  readonly outputs: readonly Output[]
  readonly terminal: Terminal
}

/** What more the commands of a block do than end well, by a part of the block. */
const more: Readonly<Record<string, (session: Session) => void | Promise<void>>> = {
  '--out again': ({ terminal: { folder } }) => {
    const files = readdirSync(join(folder, 'output'))
    expect(files.length).toBeGreaterThan(0)
    for (const file of files)
      expect(readFileSync(join(folder, 'again', file))).toEqual(
        readFileSync(join(folder, 'output', file)),
      )
  },
  'webhook subscribe': async ({ outputs }) => {
    const [, subscribed, served, tested] = outputs
    expect(tested?.stdout).toMatch(/200[^]*delivered/)
    // What a code host's library signs is accepted as well, and nothing else.
    const url = /http:\/\/\S+\/webhooks\/ci/.exec(subscribed?.stdout ?? '')?.[0] ?? ''
    const secret = /[\w-]{43}/.exec(subscribed?.stdout ?? '')?.[0] ?? ''
    const body = '{"status": "red"}'
    const post = async (signature: string): Promise<number> => {
      const headers = { 'X-Hub-Signature-256': signature, 'X-GitHub-Event': 'status' }
      return (await fetch(url, { method: 'POST', body, headers })).status
    }
    expect(await post(await sign(secret, body))).toBe(200)
    expect(await post(await sign(`${secret}x`, body))).toBe(401)
    expect(await served?.server?.says(/^/)).not.toContain(secret)
  },
  '--out few.har': ({ terminal: { folder } }) => {
    const sizes = ['few.har', 'broken.har'].map((file) => readFileSync(join(folder, file)).length)
    expect(sizes[0]).toBeLessThan((sizes[1] ?? 0) / 2)
  },
  '--explain --journal': ({ outputs }) => {
    expect(outputs[1]?.stdout).toContain('queue/listing')
    expect(outputs[2]?.stdout).toContain('queue/listing')
  },
}

/** Those parts. */
export const closerLooks = Object.keys(more)

/** The page whose commands judge servers and clients. */
export const judgingPage = 'suites/README.md'

/** Declares a test for each block of commands of these pages. */
export function typesCommands(pages: readonly Page[]): void {
  describe.each(pages.filter((page) => blocksOf(page).length > 0))('$file', (page) => {
    let terminal: Terminal
    beforeAll(async () => {
      terminal = await openTerminal()
    })
    afterAll(() => terminal.stop())

    for (const { language, text, before } of blocksOf(page)) {
      const named = /`([\w-]+\.yaml)`:$/.exec(before)?.[1]
      if (language === 'yaml' && named !== undefined)
        test(`has ${named}`, () => writeFileSync(join(terminal.folder, named), text))
      if (language !== 'sh') continue
      test(text, async () => {
        const outputs: Output[] = []
        for (const printed of linesOf({ text }))
          for (const line of instead[printed]?.() ?? [printed]) {
            const output = await terminal.type(line)
            const isWell = output.code === 0 || output.server !== undefined
            expect(isWell, `${line}\n${output.stdout}\n${output.stderr}`).toBe(true)
            outputs.push(output)
          }
        const part = closerLooks.find((one) => text.includes(one))
        if (part !== undefined) await more[part]?.({ outputs, terminal })
        await terminal.stop()
      })
    }
  })
}
