// JSON whose members are given by their places.

type Holder = Record<string, unknown>

/** Sets the member at a place such as `data.images.0.url`: a number makes a list. */
export function setAt(body: Holder, place: string, value: unknown): void {
  const parts = place.split('.')
  let at = body
  for (const [index, part] of parts.slice(0, -1).entries()) {
    at[part] ??= /^\d+$/.test(parts[index + 1] as string) ? [] : {}
    at = at[part] as Holder
  }
  at[parts.at(-1) as string] = value
}
