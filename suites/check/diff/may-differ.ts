// What may differ between two servers that are both right: the declared table of `flowdouble diff`.

import { historyEntry } from '../../../spec/server/history.ts'
import { messages } from '../../../spec/server/messages.ts'
import { submitRefusal, submitReply } from '../../../spec/server/workflows.ts'

type Row = {
  readonly id: string
  readonly says: string
  /** The members whose values it concerns. */
  readonly keys: ReadonlySet<string>
  /** What is compared instead of the value. */
  readonly as: (value: unknown) => unknown
}

/** Only the kind of a value is compared. */
const kindOf = (value: unknown): string => `<${Array.isArray(value) ? 'array' : typeof value}>`

/** The table. */
export const mayDiffer: readonly Row[] = [
  {
    id: 'ids',
    says: 'Ids that the server chooses.',
    keys: new Set(['prompt_id', 'sid']),
    as: kindOf,
  },
  {
    id: 'times',
    says: 'Times.',
    keys: new Set(['timestamp', 'create_time', 'created_at', 'updated_at']),
    as: kindOf,
  },
  {
    id: 'numbers',
    says: 'The number of a run counts what the server did before.',
    keys: new Set(['number', 'priority']),
    as: kindOf,
  },
  {
    id: 'versions',
    says: 'Versions and memory figures, and paths and lines of code in a traceback.',
    keys: new Set([
      'traceback',
      'exception_message',
      'current_inputs',
      'current_outputs',
      'ram_total',
      'vram_total',
    ]),
    as: kindOf,
  },
  {
    id: 'file counters',
    says: 'Counters, letters and hashes in the names of files.',
    keys: new Set(['filename']),
    as: (value) => String(value).replace(/^.*(?=\.\w+$)/, '<name>'),
  },
]

/** The members that the spec names: others are extra fields, which may be present on one side only. */
const specified = new Set<string>()
collect([messages, historyEntry, submitReply, submitRefusal])

function collect(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const { properties } = value as { readonly properties?: object }
  for (const name of Object.keys(properties ?? {})) specified.add(name)
  for (const one of Object.values(value)) collect(one)
}

/** Whether a member may be present on one side only. Ids of nodes may not. */
export const isExtra = (key: string): boolean => /^[a-z_]{2,}$/.test(key) && !specified.has(key)
