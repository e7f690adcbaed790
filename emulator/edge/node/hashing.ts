// The hashes of a hosted server, computed by Node: the same results as the library's, four times as fast.

import { createHash, createHmac } from 'node:crypto'
import type { Hashing } from '../../server/state/world.ts'

export const hmacHex: Hashing['hmacHex'] = (key, text) =>
  createHmac('sha256', key).update(text).digest('hex')

export const sha256Hex: Hashing['sha256Hex'] = (text) =>
  createHash('sha256').update(text).digest('hex')
