// The OpenAPI document that a server serves: the packaged one, with this server's URL.

import { readFileSync } from 'node:fs'
import type { Place } from '../../../spec/language.ts'
import { packageFile } from '../../config/package-files.ts'

/** The text of the document. A server without a host refers to where the document was fetched. */
export function openapiText(place: Place): string {
  const text = readFileSync(packageFile(`spec/openapi.${place}.json`), 'utf8')
  const document = JSON.parse(text) as Record<string, unknown>
  document['servers'] = [{ url: '/' }]
  return JSON.stringify(document)
}
