// The wrong servers that nobody can tell from a faultless one from outside, and why.

/** The reason by the name of the mutant. */
export const unseen: Readonly<Record<string, string | undefined>> = {}
