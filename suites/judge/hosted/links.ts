// Signed links as a client uses them: read from the reply to a view, then fetched without a key.

import { viewPath } from '../../generate/form.ts'
import type { Subject } from '../subject.ts'
import { expect } from '../expect.ts'
import { type FetchedLink, fetchLink } from '../http-client.ts'

/** The link that a view of this file leads to; `values` are further ones of the query. */
export async function linkTo(
  { get }: Pick<Subject, 'get'>,
  filename: string,
  values: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { status, headers } = await get(viewPath({ filename, ...values }))
  expect([filename, status]).toEqual([filename, 302])
  return headers['location'] ?? ''
}

/** The word that a rejected link returns as its reason, with its status. */
export function refusalOf({ status, headers, text }: FetchedLink): readonly [number, string] {
  expect(headers.get('content-type')).toMatch(/^application\/xml/)
  const [, code = ''] =
    /^<\?xml .*?\?><Error><Code>(\w+)<\/Code><Message>.+<\/Error>$/.exec(text) ?? []
  return [status, code]
}

/** The bytes of a file of the subject, through its link. */
export const fetchFile = async (subject: Pick<Subject, 'get'>, filename: string): Promise<Buffer> =>
  (await fetchLink(await linkTo(subject, filename))).bytes

/** The content of a file whose link is requested. */
export const ten = new TextEncoder().encode('0123456789')

/** Uploads ten digits, and returns their name and a link to them. */
export async function digits(
  subject: Pick<Subject, 'get' | 'upload'>,
): Promise<{ name: string; link: string }> {
  const { name } = (await subject.upload({ name: 'a.txt', bytes: ten })).json()
  return { name, link: await linkTo(subject, name) }
}

/** Status and text of an answer. */
export const seen = ({ status, text }: FetchedLink) => [status, text]
