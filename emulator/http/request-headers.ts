// Request headers that the edge does not pass on.

/** The header in which the edge names the path of a world below its address, for links to it. Clients cannot send it. */
export const prefixHeader = 'x-forwarded-prefix'

/** Headers that a world never receives: that one, and the random number of a handshake, which says nothing of a client. */
export const droppedHeaders: ReadonlySet<string> = new Set([prefixHeader, 'sec-websocket-key'])
