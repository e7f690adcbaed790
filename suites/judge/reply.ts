// A reply, as cases use it.

/** A reply, with its body as bytes and as text. */
export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
  readonly text: string
  /** The body as JSON. Throws if it is not valid JSON. */
  readonly json: () => any
}
