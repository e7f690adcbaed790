// Values that several parts of a scenario have.

/** In milliseconds; at most a day. */
export const delay = { type: 'number', minimum: 0, maximum: 86_400_000 } as const
