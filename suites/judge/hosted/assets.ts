// The assets of a case on a hosted server: uploads with content and names that nobody else has.

import type { EmulatorOptions } from 'flowdouble'
import type { hostedAsset, hostedAssetPage } from '../../../spec/assets/hosted-assets.ts'
import { hostedCreated } from '../../../spec/assets/hosted-assets.ts'
import type { Static } from '../../../spec/static.ts'
import { formOf, type Part } from '../../generate/form.ts'
import { expect } from '../expect.ts'
import { proves, type ServerRuleId } from '../proves.ts'
import type { Reply } from '../reply.ts'
import { missing } from '../skip.ts'
import type { Subject } from '../subject.ts'
import { fitting } from './jobs.ts'

export type HostedAsset = Static<typeof hostedAsset> & { readonly created_new?: boolean }
type Page = Static<typeof hostedAssetPage>
type Fields = Readonly<Record<string, string>>

/** A hash without content. */
export const noContent = `blake3:${'0'.repeat(64)}`

/** The ids of the assets that a case has made on a server elsewhere, by account. There, cases run one after the other. */
const made = new Map<Subject, Set<string>>()

/** Declares a case about assets, which removes those that it makes from a server elsewhere. */
export const provesLibrary = (
  ids: ServerRuleId | readonly ServerRuleId[],
  body: (subject: Subject) => Promise<void>,
  options?: EmulatorOptions,
): void =>
  proves(
    ids,
    async (subject) => {
      try {
        await body(subject)
      } finally {
        const all = [...made]
        made.clear()
        for (const [owner, assetIds] of all)
          for (const id of assetIds) await owner.request('DELETE', pathOf({ id }))
      }
    },
    options,
  )

/** Notes what a case has made. */
function note(subject: Subject, reply: Reply): Reply {
  if (subject.isOwn || (reply.status !== 200 && reply.status !== 201)) return reply
  const { id, created_new } = reply.json() as { id?: unknown; created_new?: unknown }
  const ids = made.get(subject) ?? new Set()
  if (typeof id === 'string' && created_new === true) made.set(subject, ids.add(id))
  return reply
}

/** The requests about assets that a case makes. */
export type Library = {
  readonly ask: (method: string, path: string, body?: unknown) => Promise<Reply>
  /** Sends a form to the assets. */
  readonly send: (...parts: readonly Part[]) => Promise<Reply>
  /** Uploads a file of the case. Its content is its name, unless it is given. */
  readonly upload: (name: string, fields?: Fields, content?: string | Uint8Array) => Promise<Reply>
  /** The asset of an upload that has to succeed. */
  readonly uploaded: (...of: Parameters<Library['upload']>) => Promise<HostedAsset>
  readonly listed: (query: string) => Promise<Page>
  readonly idsIn: (query: string) => Promise<readonly string[]>
}

/** The assets of the account of a subject. Ends the case on a hosted server without assets. */
export async function libraryOf(subject: Subject): Promise<Library> {
  const ask: Library['ask'] = async (method, path, body) => {
    if (body === undefined) return subject.request(method, path)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = { 'Content-Type': 'application/json' }
    const reply = await subject.request(method, path, text, headers)
    return path === '/assets/from-hash' ? note(subject, reply) : reply
  }
  const { status } = await subject.once('hosted assets', () => ask('GET', '/assets?limit=1'))
  if (status === 404) throw missing('The hosted server has no assets.')
  const send: Library['send'] = async (...parts) =>
    note(subject, await subject.request('POST', '/assets', ...formOf(...parts)))
  const upload: Library['upload'] = (name, fields = {}, content = contentOf(subject, name)) =>
    send(...fieldParts(fields), { name: 'file', filename: subject.unique(name), content })
  const listed: Library['listed'] = async (query) =>
    (await ask('GET', `/assets?${query}`)).json() as Page
  return {
    ask,
    send,
    upload,
    uploaded: async (...of) => fitting(hostedCreated, await upload(...of), [200, 201]),
    listed,
    idsIn: async (query) => (await listed(query)).assets.map(({ id }) => id),
  }
}

export const fieldParts = (fields: Fields): readonly Part[] =>
  Object.entries(fields).map(([name, content]) => ({ name, content }))

/** The content of a file of the case, unless an upload names another. */
export const contentOf = ({ unique }: Pick<Subject, 'unique'>, name: string): string =>
  `${unique(name)} of the case`

/** Tags as the field of a form. */
export const tagsField = (...tags: readonly string[]): Fields => ({ tags: JSON.stringify(tags) })

/** The path of an asset, or below it. */
export const pathOf = ({ id }: { readonly id: string }, more = ''): string => `/assets/${id}${more}`

/** What a refusal with this code, or any, has at least. */
export const refusing = (code: unknown = expect.any(String)): object =>
  expect.objectContaining({ code, message: expect.any(String) })

/** Expects a refusal with one of these statuses. */
export function expectRefusal(
  reply: Reply,
  status: number | readonly number[],
  code?: string,
): void {
  expect({ status: reply.status, json: reply.json() }).toEqual({
    status: expect.toBeOneOf([status].flat()),
    json: refusing(code),
  })
}

/** A code that a world of the suites has; published ones are not known. */
export const ours = ({ isOwn }: Pick<Subject, 'isOwn'>, code: string): string | undefined =>
  isOwn ? code : undefined
