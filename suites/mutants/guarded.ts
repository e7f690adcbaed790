// Runs a tampering safely: whether it changes anything, and whether it breaks down on effects that it does not expect.

type Change<I, E> = (effects: readonly E[], input: I) => readonly E[]

/** What a tampering has done so far. */
export type TamperRecord = {
  /** Whether clients saw another output. */
  hasChanged: boolean
  /** Whether it broke down: what it changes is missing. */
  isBroken: boolean
}

/** The same tampering, which leaves effects as they are where it breaks down. */
export const guarded =
  <I, E>(change: Change<I, E>, record?: TamperRecord) =>
  (effects: readonly E[], input: I): readonly E[] => {
    try {
      const changed = change(effects, input)
      if (record) record.hasChanged ||= differ(changed, effects)
      return changed
    } catch {
      if (record) record.isBroken = true
      return effects
    }
  }

/** Whether there are other effects; those that a tampering returns as they were need no look. */
const differ = (changed: readonly unknown[], effects: readonly unknown[]): boolean =>
  changed.length !== effects.length ||
  changed.some((one, at) => one !== effects[at] && contentOf(one) !== contentOf(effects[at]))

/** An effect as text, in which JSON is the same however it is spaced. */
const contentOf = (effect: unknown): string => JSON.stringify(effect, contentOfMember)

function contentOfMember(_: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}
