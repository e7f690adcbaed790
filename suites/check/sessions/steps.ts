// What a session consists of: steps as plain data, so that a session can be repeated, shortened and saved.

/** What a submit asks for. Each is a graph that runs without a model. */
export const works = [
  'talk',
  'pair',
  'part',
  'half',
  'invalid',
  'unknown',
  'picture',
  'preview',
  'large',
  'many',
  'fail',
  'slow',
] as const
export type Work = (typeof works)[number]

/** The two clients of a session. */
export type Client = 'a' | 'b'

/** One step. Runs have separate numbers, so that steps can be left out. */
export type Step =
  /** Opens a socket. If the client has one, that is closed before, or stays open as the older one. */
  | { readonly do: 'connect'; readonly client: Client; readonly keepsOld?: true }
  | { readonly do: 'disconnect'; readonly client: Client }
  /** Submits a graph; the same work with the same `variant` is the same graph. */
  | {
      readonly do: 'submit'
      readonly run: number
      readonly client: Client | null
      readonly work: Work
      readonly variant: number
    }
  /** Waits until a run executes a node. */
  | { readonly do: 'begin'; readonly run: number }
  | { readonly do: 'interrupt'; readonly run: number }
  | { readonly do: 'delete'; readonly runs: readonly number[] }
  /** Waits until all runs are over. */
  | { readonly do: 'rest' }
  /** Reads the queue. */
  | { readonly do: 'look' }
  /** Uploads a file of this many bytes, and reads it again. */
  | { readonly do: 'upload'; readonly bytes: number }

export type Session = readonly Step[]
