// Writes the configuration for Schemathesis: real servers may violate their schemas only where the OpenAPI documents
// say so.

import type { Part } from './documents.ts'
import { everywhere, type Mark, renderOpenapi } from './openapi.ts'

/** The check that a mark loosens, and the statuses that the check then accepts. */
const loosened = {
  'x-fails-on-invalid': ['not_a_server_error', ['2xx', '3xx', '4xx', '500']],
  'x-rejects-valid': ['positive_data_acceptance', ['2xx', '3xx', '4xx', '5xx']],
  'x-accepts-invalid': ['negative_data_rejection', ['2xx', '3xx', '4xx', '5xx']],
} as const satisfies Record<Mark, readonly [check: string, statuses: readonly string[]]>

/** The ids of the operations of a document that have this mark. */
function marked(document: Part, mark: string): readonly string[] {
  const paths = Object.values(document['paths'] as Readonly<Record<string, Part>>)
  const operations = paths.flatMap((methods) => Object.values(methods) as Part[])
  return operations.filter((one) => one[mark] === true).map((one) => String(one['operationId']))
}

/** The whole file. */
export function renderSchemathesis(): string {
  const projects = everywhere.map((where) => {
    const document = renderOpenapi(where)
    const { title } = document['info'] as { title: string }
    const parts = Object.entries(loosened).flatMap(([mark, [check, statuses]]) => {
      const ids = marked(document, mark)
      if (ids.length === 0) return []
      return [
        '[[project.operations]]',
        `include-operation-id = ${JSON.stringify(ids)}`,
        `checks.${check}.expected-statuses = ${JSON.stringify(statuses)}`,
        '',
      ]
    })
    return ['[[project]]', `title = ${JSON.stringify(title)}`, '', ...parts].join('\n')
  })
  return `# Generated from the marks of the OpenAPI documents.\n\n${projects.join('\n')}`
}
