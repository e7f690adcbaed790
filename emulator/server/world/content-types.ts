// The media type of a file, by the extension of its name [files/view-headers].

/** Media types by extension. */
const contentTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  bmp: 'image/bmp',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
  mkv: 'video/x-matroska',
  flac: 'audio/flac',
  mp3: 'audio/mpeg',
  wav: 'audio/x-wav',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  m4a: 'audio/mp4',
  txt: 'text/plain',
  csv: 'text/csv',
  md: 'text/markdown',
  json: 'application/json',
  xml: 'application/xml',
  pdf: 'application/pdf',
  zip: 'application/zip',
  glb: 'model/gltf-binary',
  gltf: 'model/gltf+json',
  obj: 'model/obj',
  js: 'application/javascript; charset=utf-8',
}

/** Types that a browser would run as a page, or as a part of one, beside those above. */
const pageTypes: Readonly<Record<string, string>> = {
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  mjs: 'text/javascript',
  css: 'text/css',
  eml: 'message/rfc822',
}

const endingOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase()

/** The type that the extension of a name suggests; undefined for an unknown one. */
export function mediaType(name: string): string | undefined {
  const ending = endingOf(name)
  const known = [contentTypes, pageTypes].find((types) => Object.hasOwn(types, ending))
  return known?.[ending]?.split(';')[0]
}

const SCRIPTS = /^(?:text|application)\/(?:x-)?(?:java|ecma)script$/
const PAGES = /^(?:text\/html|text\/css|message\/rfc822|(?:text|application)\/xml|.*\+xml)$/

/** A type without its parameters. */
const bareType = (type: string): string => (type.split(';')[0] ?? '').trim().toLowerCase()

/** Whether a browser would run a file of this type as a page: servers of 2026 only let it be downloaded. */
export const isActive = (type: string): boolean =>
  SCRIPTS.test(bareType(type)) || PAGES.test(bareType(type))

/** Whether a browser shows such a file safely where a page asks for an image. */
export const isSafeImage = (type: string): boolean => bareType(type) === 'image/svg+xml'

/** By extension; a type that a browser would run as a page is served as a download. */
export function contentType(name: string): string {
  const ending = endingOf(name)
  const known = Object.hasOwn(contentTypes, ending) ? contentTypes[ending] : undefined
  return known ?? 'application/octet-stream'
}
