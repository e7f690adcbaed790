// Exceptions of nodes: they end the run of the node, not the server.

/** An exception of a node. */
export class Raised extends Error {
  readonly type: string
  constructor(type: string, message: string) {
    super(message)
    this.type = type
  }
}

/** Ends the node with an exception of this Python type: `raise('ValueError', 'wrong size')`. */
export function raise(type: string, message: string): never {
  throw new Raised(type, message)
}
