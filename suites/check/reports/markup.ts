// Writes HTML and XML in which each inserted text is escaped: what a target sends stays text.

import { visible } from '../output/text.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text for elements and quoted attributes. Control characters, which XML forbids, are written as visible escapes. */
export const escaped = (text: string): string =>
  visible(text).replace(/[&<>"']/g, (one) => entities[one] ?? one)

/** Markup, as opposed to text. */
export type Html = { readonly html: string }

type Insert = string | number | Html | readonly Html[]

/** A template for markup: inserted texts are escaped, inserted markup stays as it is. */
export function html(parts: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  const texts = parts.map((part, index) => part + insertText(inserts[index] ?? ''))
  return { html: texts.join('') }
}

function insertText(insert: Insert): string {
  if (typeof insert === 'object')
    return 'html' in insert ? insert.html : insert.map((one) => one.html).join('')
  return escaped(String(insert))
}

export const nothing: Html = { html: '' }
