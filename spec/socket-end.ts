// How a server ends a socket when a test asks for it.

import { anyOf, oneOf, options } from './schema.ts'

/** The codes that a close frame can carry. */
export const closeCodes = '1000 to 1014 without 1004 to 1006, or 3000 to 4999'

/** How sockets end. */
export const socketEnd = anyOf(oneOf('reset', 'silence'), {
  ...options({
    close: {
      anyOf: [
        { type: 'integer', minimum: 1000, maximum: 1003 },
        { type: 'integer', minimum: 1007, maximum: 1014 },
        { type: 'integer', minimum: 3000, maximum: 4999 },
      ],
      description: closeCodes,
    },
  }),
  required: ['close'],
})
