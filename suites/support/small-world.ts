// The options of a small world that cases create in process, with limits that no option sets.

import type { WorldOptions } from '../../dist/emulator/internal.js'

/** A local world without node types; a case sets its own limits over these. */
export const smallWorld: WorldOptions = {
  deployment: 'local',
  like: null,
  accounts: [],
  seed: '0',
  epochMs: 0,
  paceMs: 5,
  startDelayMs: 25,
  preview: 'none',
  cache: 'classic',
  objectInfo: () => new Map(),
  models: 'listed',
  unknownNodes: 'refuse',
  quirks: [],
  historyLimit: 1,
  fileLimit: 2,
  uploadLimitBytes: 10,
  pendingLimitBytes: 10_000,
  maxBody: null,
  cors: null,
  token: null,
  manager: false,
  scripts: [],
  assets: false,
  assetHashing: false,
  featureFlag: [],
  script: { start: {}, runs: [], nodes: [], faults: [] },
  signedLinks: null,
}
