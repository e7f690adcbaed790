// Values that several parts of a scenario have.

/** In milliseconds; at most a day. */
export const delay = { type: 'number', minimum: 0, maximum: 86_400_000 } as const

/** A status of a reply. */
export const status = { type: 'integer', minimum: 100, maximum: 599 } as const
