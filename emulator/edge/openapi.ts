// The OpenAPI document of a server, as that server answers it: the one that comes with the package, at this address.

import { readFileSync } from 'node:fs'
import type { Place } from '../../spec/language.ts'

/** The text of the document. A server without a host is the one that the document was fetched from. */
export function openapiText(place: Place): string {
  // Three folders up from `dist/emulator/edge/`.
  const file = new URL(`../../../spec/openapi.${place}.json`, import.meta.url)
  const document = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  document['servers'] = [{ url: '/' }]
  return JSON.stringify(document)
}
