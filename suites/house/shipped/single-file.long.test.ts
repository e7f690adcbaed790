// The single file in each form that people start it in: with Node, as an executable of Node, as one of Bun. Each command works
// in each of them. What makes the executables comes from npm.

import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, test } from 'vitest'
import { folder } from '../../support/folder.ts'
import {
  type Form,
  judgesAndReplays,
  listsTheSame,
  provesItself,
  receivesWebhooks,
  servesAll,
  singleFile,
  startedAs,
} from './single-file.ts'

const run = promisify(execFile)

/** What npm cannot install here: a reason to skip, not to fail. */
class NotInstalled extends Error {}

type Installed = { readonly place: string; readonly bin: string }

/** A folder with the single file and a program of npm. */
async function install(name: string, version = 'latest'): Promise<Installed> {
  const place = folder()
  writeFileSync(join(place, 'package.json'), '{}')
  await run('npm', ['install', '--no-audit', '--no-fund', `${name}@${version}`], {
    cwd: place,
  }).catch(({ message }: Error) => {
    throw new NotInstalled(`npm cannot install ${name}: ${message}`)
  })
  copyFileSync(singleFile, join(place, 'flowdouble.cjs'))
  return { place, bin: join(place, 'node_modules/.bin', name) }
}

/** Makes each form: resolves to how it is started. */
const forms: Readonly<Record<string, () => Promise<Form>>> = {
  'the file with Node': async () => {
    const file = join(folder(), 'flowdouble.cjs')
    copyFileSync(singleFile, file)
    return [process.execPath, file]
  },
  'the file with Node 24': async () => {
    const { bin } = await install('node', '24')
    const file = join(folder(), 'flowdouble.cjs')
    copyFileSync(singleFile, file)
    return [bin, file]
  },
  'an executable of Node': async () => {
    const { place, bin } = await install('postject')
    const sea = { main: 'flowdouble.cjs', output: 'blob', disableExperimentalSEAWarning: true }
    writeFileSync(join(place, 'sea.json'), JSON.stringify(sea))
    await run(process.execPath, ['--experimental-sea-config', 'sea.json'], { cwd: place })
    const file = join(place, 'flowdouble')
    copyFileSync(process.execPath, file)
    chmodSync(file, 0o755)
    const fuse = ['--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2']
    await run(bin, ['flowdouble', 'NODE_SEA_BLOB', 'blob', ...fuse], { cwd: place })
    return [file]
  },
  'an executable of Bun': async () => {
    const { place, bin } = await install('bun')
    const argv = ['build', '--compile', 'flowdouble.cjs', '--outfile', 'flowdouble']
    await run(bin, argv, { cwd: place })
    return [join(place, 'flowdouble')]
  },
}

/** What each form does, as a sentence. */
const cases = {
  'states its version, plays a scenario and runs a workflow': provesItself,
  'lists what the package lists': listsTheSame,
  'serves documents, node types, the inspector and large pictures': servesAll,
  'checks, compares, records, shrinks, learns and replays': judgesAndReplays,
  'receives webhooks': receivesWebhooks,
}

describe.each(Object.entries(forms))('house/single-file %s', (_, make) => {
  let made: Promise<Form | Error> | undefined
  test.for(Object.entries(cases))('%s', async ([, proves], { skip }) => {
    made ??= make().catch((error: Error) => error)
    const form = await made
    if (form instanceof NotInstalled) skip(true, form.message)
    if (form instanceof Error) throw form
    await proves(startedAs(form, folder()))
  })
})
