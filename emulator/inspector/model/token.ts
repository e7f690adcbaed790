// The token that opens the control paths where they need one. A browser sends none: the page gets it behind the # of its
// address, from which it goes, or asks for it. It stays in this tab, for this page alone.

const name = `flowdouble token of ${location.pathname}`

let token = stored()

/** A browser can forbid a page to store anything. */
function stored(): string | null {
  try {
    const [, given] = /^#token=(.+)$/.exec(location.hash) ?? []
    if (given !== undefined) {
      history.replaceState(null, '', location.pathname)
      sessionStorage.setItem(name, decodeURIComponent(given))
    }
    return sessionStorage.getItem(name)
  } catch {
    return null
  }
}

/** Keeps another token. */
export function setToken(given: string): void {
  token = given
  try {
    sessionStorage.setItem(name, given)
  } catch {
    // It is there until the page is closed.
  }
}

export const hasToken = (): boolean => token !== null

/** Sends a request to the server, with the token if there is one. */
export const request = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(path, token === null ? init : { ...init, headers: { Authorization: `Bearer ${token}` } })
