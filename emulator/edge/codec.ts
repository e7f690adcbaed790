// The picture codecs. They load with the first request that can need a picture, together with the other parts of a server
// that load on demand, so that it starts fast.

import type * as Pictures from '../pictures/encode.ts'

export type Codec = {
  /** Loads everything; undefined if it is loaded. */
  readonly load: () => Promise<void> | undefined
  /**
   * The same for inputs that can need it, and for all that arrive while it loads, so that requests stay in order. Undefined
   * if there is nothing to wait for.
   */
  readonly ready: (isNeeded: () => boolean) => Promise<void> | undefined
  /** The functions that encode pictures; call it only once they are loaded. */
  readonly pictures: () => typeof Pictures
}

export function createCodec(): Codec {
  let pictures: typeof Pictures | undefined
  let loading: Promise<void> | undefined
  const loadAll = async (): Promise<void> => {
    const [loaded] = await Promise.all([
      import('../pictures/encode.ts'),
      import('../server/local/provide-on-demand.ts'),
    ])
    pictures = loaded
  }
  const load = (): Promise<void> | undefined =>
    pictures === undefined ? (loading ??= loadAll()) : undefined
  return {
    load,
    ready: (isNeeded) => {
      if (pictures !== undefined) return undefined
      return isNeeded() ? load() : loading
    },
    pictures: () => {
      if (pictures === undefined)
        throw new Error('A picture is encoded before its codec is loaded.')
      return pictures
    },
  }
}
