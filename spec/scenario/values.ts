// Values that several parts of a scenario have.

export const name = { type: 'string', minLength: 1 } as const

/** In milliseconds; at most a day. */
export const delay = { type: 'number', minimum: 0, maximum: 86_400_000 } as const
