// A check of a world that somebody uses, and what the world itself says that it has done there.

import { type Entry, startEmulator } from 'flowdouble'
import { textToImage } from '../../../generate/graphs.ts'
import { start } from '../../../support/spawned.ts'

/** A request that changes something, and was obeyed. */
export type Obeyed = { readonly line: string; readonly body: string }

export type Counted = {
  readonly code: number | null
  /** Requests by other methods than those for reading that were answered with success, */
  readonly obeyed: readonly Obeyed[]
  /** those of them that started a run, */
  readonly runs: readonly Obeyed[]
  /** and what can be read from the world before and after: its queue, history, files and settings. */
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** How many cases were judged, */
  readonly judged: number
  /** and the types of the nodes that cost money. */
  readonly paidTypes: readonly string[]
}

const readable = {
  local: [
    '/queue',
    '/history',
    '/settings',
    '/users',
    '/internal/files/input',
    '/internal/files/output',
  ],
  hosted: ['/api/queue', '/api/history_v2', '/api/settings'],
} as const

/** A body above the limit of this world is sent in less time than one above the usual limit. */
export const smallBodies = { maxUploadSize: 4 } as const

/** Checks a world in which somebody has a run, a file and a setting. */
export async function countedCheck(
  deployment: 'local' | 'hosted',
  flags: readonly string[],
): Promise<Counted> {
  const entries: Entry[] = []
  const onEntry = (entry: Entry): void => void entries.push(entry)
  const emulator = await startEmulator({ ...smallBodies, deployment, clock: 'instant', onEntry })
  try {
    const headers = { 'X-API-Key': 'test-key', 'Content-Type': 'application/json' }
    const prefix = deployment === 'hosted' ? '/api' : ''
    const send = (method: string, path: string, body: unknown): Promise<Response> =>
      fetch(emulator.url + prefix + path, { method, headers, body: JSON.stringify(body) })
    await send('POST', '/prompt', { prompt: textToImage() })
    // As a client in Python can write it: every listing repeats it to all.
    const body = JSON.stringify({ prompt: textToImage(), extra_data: { share: 'NaN' } })
    await fetch(`${emulator.url}${prefix}/prompt`, {
      method: 'POST',
      headers,
      body: body.replace('"NaN"', 'NaN'),
    })
    await send('POST', '/settings', { theirs: true })
    await send('POST', '/userdata/theirs.json', {})
    const read = (): Promise<readonly string[]> =>
      Promise.all(
        [...readable[deployment], `${prefix}/userdata?dir=&recurse=true`].map(async (path) =>
          (await fetch(emulator.url + path, { headers })).text(),
        ),
      )
    const before = await read()
    const from = entries.length
    const key = deployment === 'hosted' ? ['--key', 'test-key'] : []
    const { code, stdout } = await start('check', emulator.url, '--json', ...key, ...flags).ends
    const obeyed = obeyedIn(entries.slice(from))
    const judged = stdout.split('\n').filter((line) => /"verdict":"(pass|fail|note)"/.test(line))
    const types = await (await fetch(`${emulator.url}${prefix}/object_info`, { headers })).json()
    return {
      code,
      paidTypes: Object.entries<any>(types as object).flatMap(([name, { api_node }]) =>
        api_node === true ? [name] : [],
      ),
      obeyed,
      runs: obeyed.filter(({ line }) => /^POST (\/api)?\/(prompt|v2\/jobs)\b(?!\/)/.test(line)),
      before,
      after: await read(),
      judged: judged.length,
    }
  } finally {
    await emulator.close()
  }
}

/** The requests that were to change something, and were answered with success. */
function obeyedIn(entries: readonly Entry[]): readonly Obeyed[] {
  const statuses = new Map(
    entries.flatMap(({ effects }) =>
      effects.flatMap((one) => (one.kind === 'reply' ? [[one.request, one.status] as const] : [])),
    ),
  )
  return entries.flatMap(({ input }) =>
    input.kind === 'request' &&
    !/^(GET|HEAD|OPTIONS)$/.test(input.method) &&
    (statuses.get(input.request) ?? 0) < 300
      ? [{ line: `${input.method} ${input.target}`, body: Buffer.from(input.body).toString() }]
      : [],
  )
}

/** What an operator has to allow before a server obeys such a request. */
const forbidden = {
  global: ({ line, body }: Obeyed): boolean =>
    /^POST (\/api)?\/free/.test(line) ||
    (/^POST (\/api)?\/interrupt/.test(line) && !body.includes('prompt_id')) ||
    (/^POST (\/api)?\/(queue|history)/.test(line) && /"clear": ?(true|1)/.test(body)),
  destructive: ({ line, body }: Obeyed): boolean =>
    /^(POST|PUT|PATCH|DELETE) (\/api)?\/(settings|users)\b/.test(line) ||
    (/^(POST|DELETE) (\/api)?\/userdata\//.test(line) && !line.includes('/flowdouble-check%2F')) ||
    (/^POST (\/api)?\/upload\//.test(line) && !body.includes('flowdouble-check')),
} as const

/** The requests that an operator has not allowed, but the server obeyed. */
export function trespasses({ obeyed, runs, paidTypes }: Counted, allow: string): readonly Obeyed[] {
  const isPaid = ({ body }: Obeyed): boolean =>
    paidTypes.some((name) => new RegExp(`"class_type": ?"${name}"`).test(body))
  return [
    ...(['global', 'destructive'] as const).flatMap((name) =>
      allow.includes(name) ? [] : obeyed.filter(forbidden[name]),
    ),
    ...(allow.includes('paid') ? [] : runs.filter(isPaid)),
  ]
}
