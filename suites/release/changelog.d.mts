// What tests use of the changelog.

export function entryOf(
  changelog: string,
  version: string,
): { readonly date: string; readonly text: string }
