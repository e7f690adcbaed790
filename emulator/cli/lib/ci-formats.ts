// What continuous integration reads: annotations of a workflow run on GitHub, and SARIF, the format of tools for static
// analysis.

import type { Location, Log, Run } from 'sarif'

/** A line of the log that a workflow run shows at a file, or at the top of its page. */
export type Annotation = {
  readonly level: 'error' | 'warning' | 'notice'
  readonly title: string
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly message: string
}

/** Percent signs and line ends, which would end the line. */
const escaped = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

/** The value of a property: commas and colons would end it. */
const escapedProperty = (text: string): string =>
  escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

export function annotationText({ level, title, file, line, message }: Annotation): string {
  const properties = Object.entries({ file, line, title }).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${escapedProperty(String(value))}`,
  )
  return `::${level} ${properties.join(',')}::${escaped(message)}\n`
}

/** A file of SARIF 2.1.0 as text. */
export const sarifText = (runs: Run[]): string => {
  const log: Log = {
    version: '2.1.0',
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    runs,
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

/** A place in a file, as SARIF names it. */
export const sarifPlace = (file: string, line?: number): Location => ({
  physicalLocation: {
    artifactLocation: { uri: encodeURI(file) },
    ...(line !== undefined && { region: { startLine: line } }),
  },
})
