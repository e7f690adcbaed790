// Makes the rows of tables of refusals: status, when the server sends it, and its body, which is empty without one.

import type { Refusal } from './language.ts'

type More = Pick<Refusal, 'headers' | 'raised' | 'reason'>
type BodyOf<C> = C extends { readonly text: infer T }
  ? { readonly text: T }
  : C extends { readonly json: infer J }
    ? { readonly json: J }
    : 'empty'

export function refusal<
  const Content extends More & { readonly text?: string; readonly json?: unknown },
>(status: number, when: string, content?: Content) {
  const { text, json, ...more } = content ?? {}
  const body = text === undefined ? (json === undefined ? 'empty' : { json }) : { text }
  return { status, when, body: body as BodyOf<Content>, ...(more as More) }
}

/** The same for a table whose bodies are made of a code and a message: here one member, `CODE: 'message'`. */
export const coded =
  <Body extends Refusal['body']>(bodyOf: (code: string, message: string) => Body, more?: More) =>
  (status: number, when: string, content: Readonly<Record<string, string>>) => {
    const [[code, message] = ['', '']] = Object.entries(content)
    return { status, when, body: bodyOf(code, message), ...more }
  }
