// What only a hosted server needs, in one module that is loaded for it: a local one does not wait for it.

export { admit } from './access.ts'
export { blake3Hex, hmacHex, sha256Hex } from '../world/hashing.ts'
export { answer, handshakeNeeded, readsBody } from './endpoints.ts'
export { answerLink, linkBase } from './signed-links.ts'
