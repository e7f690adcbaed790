// The OpenAPI document that a server serves: the packaged one, with this server's URL.

import { readFileSync } from 'node:fs'
import { documentName } from '../../../spec/generations.ts'
import type { Where } from '../../../spec/language.ts'
import { packageFile } from '../../config/package-files.ts'

/** The text of the document. A server without a host refers to where the document was fetched. */
export function openapiText(where: Where): string {
  const text = readFileSync(packageFile(`spec/openapi.${documentName(where)}.json`), 'utf8')
  const document = JSON.parse(text) as Record<string, unknown>
  document['servers'] = [{ url: '/' }]
  return JSON.stringify(document)
}
