// Reads the changelog: `## VERSION - DATE` begins the entry of a release.

/** The entry of a version: its date, or `unreleased`, and its text without the title. Throws if it has none, or an empty one. */
export function entryOf(changelog, version) {
  const entries = changelog.split(/^## /m).slice(1)
  const found = entries.filter((entry) => entry.startsWith(`${version} - `))
  if (found.length !== 1)
    throw new Error(
      `CHANGELOG.md has ${found.length} entries "## ${version} - ", and one is needed.`,
    )
  const [title, ...lines] = found[0].split('\n')
  const text = lines.join('\n').trim()
  if (text === '') throw new Error(`The entry of ${version} in CHANGELOG.md is empty.`)
  return { date: title.slice(`${version} - `.length).trim(), text: `${text}\n` }
}
