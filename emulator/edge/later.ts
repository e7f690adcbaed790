// What is there at once, or comes later: a request for which nothing is waited for passes without a promise.

export type Later<T> = T | Promise<T>

/** Goes on with a value as soon as it is there. */
export const after = <A, B>(first: Later<A>, next: (value: A) => Later<B>): Later<B> =>
  first instanceof Promise ? awaited(first, next) : next(first)

const awaited = async <A, B>(first: Promise<A>, next: (value: A) => Later<B>): Promise<B> =>
  next(await first)

/** Does some work, and something else where it fails, whether at once or later. */
export function rescue<T>(work: () => Later<T>, failed: (error: unknown) => T): Later<T> {
  try {
    const result = work()
    return result instanceof Promise ? result.catch(failed) : result
  } catch (error) {
    return failed(error)
  }
}
