// Rows of computed tables: recipes of inputs in the form of the recording, and what comes of them.

import type { RecordedMap } from './lines.ts'
import { createNodeServer, type Outcome } from './server.ts'

export const node = (class_type: string, inputs: RecordedMap) => ({
  node: { class_type, slot: 0, inputs },
})
export const float = (value: number) => node('PrimitiveFloat', { value })
export const int = (value: number) => node('PrimitiveInt', { value })
export const latent = (...shape: readonly number[]) => ({ latent: { shape, pattern: 'wave' } })

/** A node, and its first output as text, or its exception. */
export type Row = readonly [class_type: string, inputs: RecordedMap, text: string]

/** What comes of the nodes of some rows, as PreviewAny shows it, or their exceptions. */
export function shownBy(rows: readonly Row[]): readonly unknown[] {
  const { run } = createNodeServer('folders')
  return rows.map(([class_type, inputs]) => {
    const { ui, failure } = run('PreviewAny', { source: node(class_type, inputs) })
    return failure === undefined ? ui?.text[0] : exceptionText(failure)
  })
}

/** An exception as Python prints it. */
export const exceptionText = ({
  exception_type,
  exception_message,
}: NonNullable<Outcome['failure']>): string =>
  `${exception_type}: ${exception_message.slice(0, -1)}`
