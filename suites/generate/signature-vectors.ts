// Signed posts as senders create them, both valid and invalid for a gateway with this secret and this clock.

import { hostVectors } from './vectors/hosts.ts'
import { serviceVectors } from './vectors/services.ts'
import type { SignatureVector } from './vectors/vector.ts'

export const signatureVectors: readonly SignatureVector[] = [...hostVectors, ...serviceVectors]
