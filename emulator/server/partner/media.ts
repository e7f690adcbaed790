// The files that partners make: each is another one, and the same in every world with this seed.

import { madeContent } from '../world/made-files.ts'
import { contentHash, fileKey, store } from '../world/files.ts'
import { get } from '../../lib/bounded.ts'
import { hash53 } from '../../lib/random.ts'
import type { HostedWorld } from '../state/world.ts'

const SIZE = { width: 512, height: 512 }

/** Makes a file with this ending, and returns its name among the outputs of the account. */
export function makeFile(world: HostedWorld, of: string, ending: string): string {
  const { hosted, pictureSeed, spell } = world.setup
  const content = madeContent(ending, hash53(`${pictureSeed}:${of}`), SIZE)
  if (content === undefined) throw new Error(`No file ends in .${ending}.`)
  const name = `${contentHash(hosted.hashing, content, spell)}.${ending}`
  if (get(world.state.files, fileKey('output', '', name)) === undefined)
    store(world, 'output', '', name, content)
  return name
}
