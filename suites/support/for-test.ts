// What a test starts ends with it.

import { onTestFinished } from 'vitest'

/** Closes what starts when the test is over. A test that runs beside others of its file closes it itself. */
export async function forTest<T extends { readonly close: () => unknown }>(
  starting: T | Promise<T>,
): Promise<T> {
  const started = await starting
  onTestFinished(async () => void (await started.close()))
  return started
}
