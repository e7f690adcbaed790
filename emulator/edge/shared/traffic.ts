// What goes through an address, counted where it goes out: on the way of each request.

/** What has gone through an address since its start, also of worlds that are closed. */
export type Traffic = {
  requests: number
  /** Messages by their kind, one for each socket. */
  text: number
  binary: number
  /** Ended runs. */
  success: number
  error: number
  interrupted: number
}

export const noTraffic = (): Traffic => ({
  requests: 0,
  text: 0,
  binary: 0,
  success: 0,
  error: 0,
  interrupted: 0,
})
