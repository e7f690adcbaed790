// The sessions with worlds that recordings/sessions/ holds.

export type Session = {
  readonly name: string
  readonly place: 'local' | 'hosted' | 'gateway'
  readonly rules: readonly string[]
  /** Those of its world. */
  readonly options: Readonly<Record<string, unknown>>
}

export const sessions: readonly Session[]
