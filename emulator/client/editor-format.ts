// The format in which the editor saves workflows: no server runs it.

/** Whether this is a workflow as the editor saves it: its nodes and links are lists. */
export const isOfEditor = ({ nodes, links }: Readonly<Record<string, unknown>>): boolean =>
  Array.isArray(nodes) || Array.isArray(links)
