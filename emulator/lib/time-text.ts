// A moment as text, in whole seconds.

/** A moment in milliseconds since 1970, such as 2026-11-28T17:05:09Z. */
export const secondText = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
