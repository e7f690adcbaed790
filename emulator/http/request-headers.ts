// The request headers that the protocol uses. No other header reaches a world or its journal.

import { keyHeader } from '../../spec/server/access.ts'
import { conditionalHeaders } from './conditional-requests.ts'

/** Names in lower case, without those of credentials. */
export const usedHeaders = [
  'host',
  'origin',
  'content-type',
  'accept',
  'upgrade',
  'idempotency-key',
  'sec-fetch-dest',
  'sec-fetch-site',
  'comfy-usage-source',
  ...conditionalHeaders,
] as const

/** The header in which the edge names the path of a world below its address, for links to it. Clients cannot send it. */
export const prefixHeader = 'x-forwarded-prefix'

/** The header of an API key, in lower case. */
export const apiKeyHeader = keyHeader.toLowerCase()
