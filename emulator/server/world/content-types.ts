// What a file is, by the extension of its name: its media type [files/view-headers], and whether it is a model.

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
  tar: 'application/x-tar',
  glb: 'model/gltf-binary',
  gltf: 'model/gltf+json',
  obj: 'model/obj',
  js: 'application/javascript; charset=utf-8',
}

/** Types that servers know since 2026: models, and what a browser would run as a page or as a part of one. */
const moreTypes: Readonly<Record<string, string>> = {
  safetensors: 'application/safetensors',
  sft: 'application/safetensors',
  pt: 'application/pytorch',
  pth: 'application/pytorch',
  ckpt: 'application/pickle',
  pkl: 'application/pickle',
  gguf: 'application/gguf',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  mjs: 'text/javascript',
  css: 'text/css',
  eml: 'message/rfc822',
}

const COMPRESSED = /\.(?:gz|Z|bz2|xz|br)$/

/** The extension of a name, without that of a compression behind it. What a name begins with is none. */
const endingOf = (name: string): string =>
  /[^./][^/]*\.([^./]*)$/.exec(name.replace(COMPRESSED, ''))?.[1]?.toLowerCase() ?? ''

/** The type that the extension of a name suggests; undefined for an unknown one. */
export function mediaType(name: string): string | undefined {
  const ending = endingOf(name)
  const known = [contentTypes, moreTypes].find((types) => Object.hasOwn(types, ending))
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

const MODEL_ENDING = /\.(?:ckpt|pt|pt2|bin|pth|safetensors|pkl|sft)$/i

/** Whether a listing includes a file as a model: by its extension, unless its name starts with a dot. */
export const isModel = (name: string): boolean =>
  MODEL_ENDING.test(name) && !name.split('/').some((part) => part.startsWith('.'))
