// A declared difference of the deployments, as a type.

import type { quirks, RuleId } from '../../spec/index.ts'
import type { Asked } from '../generate/actions.ts'
import type { Heard, Known, Told } from '../model/client-view.ts'

/** A row. Each change gives undefined where it has nothing to say. */
export type Difference = {
  readonly id: string
  /** The rules and quirks from which it follows. */
  readonly from: readonly (RuleId | keyof typeof quirks)[]
  /** What local has to be asked, so that it does what hosted does when it is asked this. */
  readonly request?: (asked: Asked, known: Known) => Asked | undefined
  /** What hosted replies where local replies this. `asked` is what hosted is asked. */
  readonly reply?: (told: Told, asked: Asked, known: Known) => Told | undefined
  /** What the clients of hosted hear where those of local hear this; `asked` as it was sent to local. */
  readonly heard?: (heard: Heard, known: Known, asked: Asked | undefined) => Heard | undefined
}
