// The assets of a case: uploads with content and names that nobody else has.

import type { asset, assetPage } from '../../spec/assets/assets.ts'
import type { Static } from '../../spec/static.ts'
import { formOf, type Part } from '../generate/form.ts'
import { expect } from './expect.ts'
import { uniqueId } from './own-runs.ts'
import { casesWith } from './proves.ts'
import type { Reply } from './reply.ts'
import { exchanges, type Row } from './rows.ts'
import { missing } from './skip.ts'
import type { Subject } from './subject.ts'

export type Asset = Static<typeof asset> & { readonly created_new?: boolean }
export type AssetPage = Static<typeof assetPage>

/** A hash without content. */
export const noContent = `blake3:${'0'.repeat(64)}`

/** Ends a case on a server whose assets are off. */
const unlessOff = (reply: Reply): Reply => {
  if (reply.status === 503) throw missing('The assets of the server are off.')
  return reply
}

/** Declares cases about assets, and about assets whose content is hashed when it is found. */
export const provesAssets = casesWith({ assets: true })
export const provesHashing = casesWith({ assets: true, assetHashing: true })

/** Exchanges about assets. */
export const asks = ({ request }: Pick<Subject, 'request'>, rows: readonly Row[]): Promise<void> =>
  exchanges({ request: async (...sent) => unlessOff(await request(...sent)) }, rows)

/** The body of a refusal with this code, and with these members beside it. */
export const refusing = (code: string, members: object = {}) => ({
  error: expect.objectContaining({ code, ...members }),
})

/** The faults of a refused body or query, of these types. */
export const faults = (...types: readonly string[]) => ({
  details: expect.objectContaining({
    errors: types.map((type) => expect.objectContaining({ type })),
  }),
})

/** Sends a form to the assets. */
export const sendForm = async ({ request }: Subject, ...parts: readonly Part[]): Promise<Reply> =>
  unlessOff(await request('POST', '/api/assets', ...formOf(...parts)))

/** The form of a file of the case. */
export const fileParts = (
  subject: Pick<Subject, 'unique'>,
  name: string,
  fields: Readonly<Record<string, string>> = {},
  content: string | Uint8Array = contentOf(subject, name),
): readonly Part[] => [
  ...Object.entries(fields).map(([field, text]) => ({ name: field, content: text })),
  { name: 'file', filename: subject.unique(name), content },
]

/** Uploads a file of the case. Its content is its name, unless it is given. */
export const upload = (
  subject: Subject,
  name: string,
  fields: Readonly<Record<string, string>> = { tags: 'input' },
  content?: string | Uint8Array,
): Promise<Reply> => sendForm(subject, ...fileParts(subject, name, fields, content))

/** The asset of an upload that has to succeed. */
export async function uploaded(...of: Parameters<typeof upload>): Promise<Asset> {
  const reply = await upload(...of)
  if (reply.status !== 201 && reply.status !== 200)
    throw new Error(`The upload was answered ${reply.status}: ${reply.text}`)
  return reply.json() as Asset
}

/** The content of a file of the case, unless an upload names another. */
export const contentOf = ({ unique }: Pick<Subject, 'unique'>, name: string): string =>
  `${unique(name)} of the case`

/** Three assets with tags that nobody else has. */
export async function tagged(subject: Subject) {
  const [x, y] = [uniqueId(subject, 'x'), uniqueId(subject, 'y')]
  const both = await uploaded(subject, 'both', { tags: `input,${x},${y}` })
  const one = await uploaded(subject, 'one', { tags: `input,${x}` })
  const other = await uploaded(subject, 'other', { tags: `input,${y}` })
  return { x, y, both: both.id, one: one.id, other: other.id }
}

/** A reply to a request for assets. */
export const ask = async (subject: Subject, method: string, path: string, body?: unknown) =>
  unlessOff(
    await subject.request(
      method,
      path,
      body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
      body === undefined ? {} : { 'Content-Type': 'application/json' },
    ),
  )

/** The page of a list. */
export const listed = async (subject: Subject, query: string): Promise<AssetPage> =>
  (await ask(subject, 'GET', `/api/assets?${query}`)).json() as AssetPage

/** The ids in such a page. */
export const idsIn = async (subject: Subject, query: string): Promise<string[]> =>
  (await listed(subject, query)).assets.map(({ id }) => id)

/** The path of an asset, or below it. */
export const pathOf = ({ id }: { readonly id: string }, more = ''): string =>
  `/api/assets/${id}${more}`

/** The status and the code of a refusal. */
export function refusalOf(reply: Reply): string {
  const body = reply.text.startsWith('{') ? (reply.json() as { error?: { code?: string } }) : {}
  return `${reply.status} ${body.error?.code}`
}

/** What later servers add to a file in an output. */
const added: ReadonlySet<string> = new Set(['id', 'preview_id', 'metadata'])

/** What only later servers, most of it those with assets, add to uploads and to files in outputs. */
const isOfAssets = (holder: object, name: string): boolean =>
  (name === 'asset' && 'subfolder' in holder) || (added.has(name) && 'filename' in holder)

/** A value without what only those servers add. */
export function withoutAssets(value: any): any {
  if (Array.isArray(value)) return value.map(withoutAssets)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !isOfAssets(value, name))
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutAssets(one)]))
}
