#!/usr/bin/env node
// Bundles main.ts as `check` is bundled, and runs it. Build first; `npm run mutants` does.

import { join } from 'node:path'
import { build } from 'rolldown'
import { viteImportGlobPlugin } from 'rolldown/experimental'

const root = join(import.meta.dirname, '../../..')
const file = join(root, 'dist/wrong-servers/main.mjs')

await build({
  input: join(root, 'suites/mutants/judged/main.ts'),
  platform: 'node',
  logLevel: 'warn',
  tsconfig: false,
  plugins: [viteImportGlobPlugin({ root })],
  external: [
    'ws',
    'yaml',
    'flowdouble',
    /^flowdouble\//,
    'msw/node',
    'undici',
    /dist\/emulator\/internal/,
  ],
  resolve: { alias: { vitest: join(root, 'suites/check/host.ts') } },
  output: { file, format: 'esm', codeSplitting: false },
})
await import(file)
