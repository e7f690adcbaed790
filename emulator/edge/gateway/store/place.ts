// Where a store can be.

/** Whether a place is the URL of a PostgreSQL database; otherwise it is the path of a file. */
export const isPostgres = (place: string): boolean => /^postgres(ql)?:\/\//.test(place)
