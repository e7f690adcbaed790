// Values that are available now or later: a request that need not wait passes without a promise.

export type Later<T> = T | Promise<T>

/** Continues with a value as soon as it is available. */
export const after = <A, B>(first: Later<A>, next: (value: A) => Later<B>): Later<B> =>
  first instanceof Promise ? awaited(first, next) : next(first)

const awaited = async <A, B>(first: Promise<A>, next: (value: A) => Later<B>): Promise<B> =>
  next(await first)

/** Runs work, and calls `failed` if it throws or rejects. */
export function catchFailure<T>(work: () => Later<T>, failed: (error: unknown) => T): Later<T> {
  try {
    const result = work()
    return result instanceof Promise ? result.catch(failed) : result
  } catch (error) {
    return failed(error)
  }
}
