// The OpenAPI document of a server, as that server answers it: the one that comes with the package, at this address.

import { readFileSync } from 'node:fs'
import type { Place } from '../../../spec/language.ts'
import { packageFile } from './package-files.ts'

/** The text of the document. A server without a host is the one that the document was fetched from. */
export function openapiText(place: Place): string {
  const text = readFileSync(packageFile(`spec/openapi.${place}.json`), 'utf8')
  const document = JSON.parse(text) as Record<string, unknown>
  document['servers'] = [{ url: '/' }]
  return JSON.stringify(document)
}
