// Bundles the code that only a hosted server needs, so that a local one does not load it.

export { admit } from './access.ts'
export { answer, handshakeNeeded, readsBody } from './endpoints.ts'
export { advanceTask } from './assets/task-steps.ts'
export { answerLink, linkBase } from './signed-links.ts'
