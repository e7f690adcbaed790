// All cases that `check` knows, collected from the files that declare them.

import { type Case, collectCases } from '../judge/proves.ts'

declare global {
  // The bundler and the test runner replace a call of it by imports of the files that match.
  // oxlint-disable-next-line typescript/consistent-type-definitions -- Only an interface adds to that of the compiler.
  interface ImportMeta {
    readonly glob: (pattern: string) => Readonly<Record<string, () => Promise<unknown>>>
  }
}

let collected: Promise<readonly Case[]> | undefined

/** Every case, in the order of its declaration. A file declares its cases once, when it is loaded. */
export const allCases = (): Promise<readonly Case[]> =>
  (collected ??= collectCases(async () => {
    for (const load of Object.values(import.meta.glob('../cases/**/*.test.ts'))) await load()
  }))
