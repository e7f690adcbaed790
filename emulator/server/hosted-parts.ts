// What only a hosted server needs, in one module that is loaded for it: a local one does not wait for it.

export { admitAccount } from './access-hosted.ts'
export { blake3Hex, hmacHex, sha256Hex } from './hashing.ts'
export { answerHosted, handshakeNeeded } from './hosted.ts'
export { answerLink, linkBase } from './signed-links.ts'
