// What tests read of the driving of clients.

import type { Client } from './clients.mjs'

export const CORE: readonly string[]
export function driverFile(client: Client): string
