// The media types of the files of a front end: those that a browser runs or draws as they are, and those of other files.

import { contentType } from '../../../server/world/content-types.ts'

/** By extension. A file that a client has uploaded never has the first three. */
const pageTypes: Readonly<Record<string, string>> = {
  html: 'text/html',
  css: 'text/css',
  mjs: 'application/javascript',
  js: 'application/javascript',
  map: 'application/json',
  wasm: 'application/wasm',
  ico: 'image/x-icon',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  eot: 'application/vnd.ms-fontobject',
  webmanifest: 'application/manifest+json',
}

/** The media type of the file of a front end. */
export function pageType(name: string): string {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return (Object.hasOwn(pageTypes, ending) ? pageTypes[ending] : undefined) ?? contentType(name)
}
