// Serves the pages for people: each is one file, which loads nothing from any other address.

import { createHash } from 'node:crypto'
import { readPackageFile } from '../../config/package-files.ts'
import type { ControlReply } from '../control.ts'

const loaded = new Map<string, ControlReply>()

/** A page, read on demand. */
function pageIn(file: string): ControlReply {
  const page = loaded.get(file) ?? replyOf(readPackageFile(`dist/bundle/${file}`).toString())
  loaded.set(file, page)
  return page
}

export const inspectorPage = (): ControlReply => pageIn('inspector.html')

/** The page with the worlds of a server that many share. */
export const worldsPage = (): ControlReply => pageIn('admin.html')

const replyOf = (body: string): ControlReply => ({
  status: 200,
  type: 'text/html; charset=utf-8',
  body,
  headers: {
    'Content-Security-Policy': policyOf(body),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  },
})

/** Runs the script of the page and no other, and reaches only the server that it comes from. */
const policyOf = (page: string): string =>
  [
    "default-src 'none'",
    `script-src ${hashOf(page, 'script')}`,
    `style-src ${hashOf(page, 'style')}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

/** The hash of the only element of this name. */
function hashOf(page: string, name: 'script' | 'style'): string {
  const [, content = ''] = new RegExp(`<${name}[^>]*>(.*?)</${name}>`, 's').exec(page) ?? []
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`
}
