// The APIs of a hosted server, by the paths that belong to each: they differ in prefix, credentials and errors.

/** The APIs beside the hosted API itself. Each has the paths at and below its roots. */
const roots = {
  v2: ['/api/v2'],
  router: ['/v2/models'],
  partner: ['/proxy', '/customers', '/health'],
  oauth: ['/oauth'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** One of the APIs of a hosted server; `v1` is the hosted API. */
export type Surface = 'v1' | keyof typeof roots

const ends: ReadonlySet<string | undefined> = new Set([undefined, '/', '?'])
const isWithin = (target: string, root: string): boolean =>
  target.startsWith(root) && ends.has(target[root.length])

const places = (Object.entries(roots) as [Surface, readonly string[]][]).flatMap(
  ([surface, paths]) => paths.map((root) => ({ surface, root })),
)

/** The API that the target of a request belongs to. */
export const surfaceOf = (target: string): Surface =>
  places.find(({ root }) => isWithin(target, root))?.surface ?? 'v1'

/** The API that an area of rules is about: the area has its name, or begins with it. */
export const surfaceOfArea = (area: string): Surface =>
  places.find(({ surface }) => area === surface || area.startsWith(`${surface}-`))?.surface ?? 'v1'

/** The roots of the paths without the prefix of the hosted API. */
const unprefixed: readonly string[] = [
  '/ws',
  ...places.map(({ root }) => root).filter((root) => !root.startsWith('/api/')),
]

/** Where a hosted server serves a path of the spec. */
export const onHosted = (path: string): string =>
  unprefixed.some((root) => isWithin(path, root)) ? path : `/api${path}`
