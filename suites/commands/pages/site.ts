// A small front end in a temporary folder, with what surrounds it: files that no path may reach.

import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { folder } from '../../support/folder.ts'

/** The text of each file outside the front end. */
export const SECRET = 'not part of the front end'

const files: Readonly<Record<string, string | Uint8Array>> = {
  'secret.txt': SECRET,
  'site-of-others/secret.txt': SECRET,
  'site/index.html': '<!doctype html><title>A front end</title>',
  'site/user.css': 'body { color: red }',
  'site/assets/app.js': 'export const zero = 0\n',
  'site/assets/app.js.map': '{}',
  'site/assets/part.mjs': 'export {}',
  'site/assets/font.woff2': Uint8Array.of(0, 255, 10),
  'site/assets/icon.svg': '<svg/>',
  'site/assets/a b+ü.txt': 'a name with more than letters',
  'site/assets/unknown.thing': 'no known type',
  'site/assets/empty.txt': '',
  'site/assets/long.bin': new Uint8Array(300_000).map((_, at) => at % 251),
  'site/queue': 'a file with the name of an endpoint',
  'site/interrupt': 'another',
  'site/internal/logs': 'another',
  'site/extensions/pack/b.js': '',
  'site/extensions/pack/deep/c d.js': '',
  'site/extensions/a.js': '',
  'site/extensions/a.css': '',
  'examples/index.json': '[]',
  'examples/first.json': '{"nodes": []}',
}

/** Writes the front end, and returns its folder and that of its workflow templates. */
export function writeSite(): { readonly webRoot: string; readonly templates: string } {
  const root = folder()
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content)
  }
  const webRoot = join(root, 'site')
  const link = (name: string, to: string): void => symlinkSync(to, join(webRoot, name))
  link('inner.js', 'assets/app.js')
  link('outer.txt', '../secret.txt')
  link('others', '../site-of-others')
  link('nowhere', 'gone')
  link('round', 'round')
  link('extensions/linked.js', '../../secret.txt')
  execFileSync('mkfifo', [join(webRoot, 'pipe')])
  return { webRoot, templates: join(root, 'examples') }
}
