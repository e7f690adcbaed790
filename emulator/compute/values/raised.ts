// Exceptions of nodes: they end the node that is computed, not the server.

/** An exception of a node. */
export class Raised extends Error {
  readonly type: string
  constructor(type: string, message: string) {
    super(message)
    this.type = type
  }
}

/** Ends a node with an exception. */
export function raise(type: string, message: string): never {
  throw new Raised(type, message)
}
