// Rules that no case proves yet, with the reason. An entry for a rule that has a case, or that does not exist, fails.

export const unproved: Readonly<Record<string, string>> = {}
