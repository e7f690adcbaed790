// Where the gateway listens by default.

/** The default port and address of the gateway. */
export const gatewayAddress = { scheme: 'http', host: '127.0.0.1', port: 8644 } as const
