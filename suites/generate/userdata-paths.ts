// Builds the paths of the user's files.

/** The address of a file, whose slashes are encoded. */
export const at = (file: string, query = ''): string =>
  `/userdata/${encodeURIComponent(file)}${query}`

/** The address that moves a file. */
export const moving = (file: string, dest: string, query = ''): string =>
  `${at(file)}/move/${encodeURIComponent(dest)}${query}`
