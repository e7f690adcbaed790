// The generations of local servers, and what holds in which of them. To add to one, see CONTRIBUTING.md.

/**
 * The generations, oldest first, each named by the first version that is known to be of it. The description is about the
 * first; hosted servers and gateways have one generation only.
 */
export const generations = ['0.3', '0.27', '0.33', '0.38'] as const
export type Generation = (typeof generations)[number]

/** The generation of the description, and of every server that does not name another. */
export const described: Generation = generations[0]

/**
 * In which generations of local servers something holds: from `since` on, and no longer from `before` on. Without both in
 * all. Hosted servers count as of the first.
 */
export type Holding = { readonly since?: Generation; readonly before?: Generation }

/** Whether something holds in a generation. */
export function holdsIn(generation: Generation, { since = described, before }: Holding): boolean {
  const at = generations.indexOf(generation)
  return (
    generations.indexOf(since) <= at && (before === undefined || at < generations.indexOf(before))
  )
}

/** The generations in which all of these hold. */
export const generationsOf = (held: readonly Holding[]): readonly Generation[] =>
  generations.filter((one) => held.every((holding) => holdsIn(one, holding)))

const partsOf = (version: string): readonly [major: number, minor: number] => {
  const [, major = 0, minor = 0] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  return [Number(major), Number(minor)]
}

/** The generation of a version such as 0.27.1: the latest one that is not newer; the first for any other text. */
export function generationOfVersion(version: string): Generation {
  const [major, minor] = partsOf(version)
  return (
    generations.findLast((one) => {
      const [ownMajor, ownMinor] = partsOf(one)
      return ownMajor < major || (ownMajor === major && ownMinor <= minor)
    }) ?? described
  )
}

/** The generations whose paths differ from those before: each has an OpenAPI document, which holds until the next. */
export const documented = ['0.3', '0.27'] as const satisfies readonly Generation[]

/** How the OpenAPI document of a server is named in its file. */
export function documentName({
  place,
  generation = described,
}: {
  readonly place: string
  readonly generation?: Generation
}): string {
  const last = documented.findLast((since) => holdsIn(generation, { since }))
  return last === undefined || last === described ? place : `${place}-${last}`
}
