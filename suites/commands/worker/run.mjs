#!/usr/bin/env node
// Judges the worker on workerd, which npm installs into a temporary folder: the package does not depend on it.
//
//   npm run test:worker
//
// Exit codes: 0 all pass, 1 some fail, 5 workerd cannot be installed or the worker cannot be built.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installerIn } from '../../runtimes/matrix.mjs'

/** The latest one that it was tried with: its storage is experimental. */
const VERSION = '1.20261117.1'

const root = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'flowdouble-worker-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

installerIn(folder)('npm', 'install', '--prefix', folder, '--ignore-scripts', `workerd@${VERSION}`)
const build = installerIn(root)
build('npm', 'run', 'build')
build('npm', 'run', 'build:worker')

// Its package names the program, which is in another one for each platform.
const { default: program } = createRequire(join(folder, 'package.json'))('workerd')
const argv = ['node_modules/vitest/vitest.mjs', 'run', '--mode', 'long', 'suites/commands/worker']
const env = { ...process.env, FLOWDOUBLE_WORKERD: program }
process.exitCode =
  spawnSync(process.execPath, argv, { cwd: root, env, stdio: 'inherit' }).status ?? 1
