// Copies plain data like `structuredClone`, but shares bytes, which never change once they are stored: a snapshot of a
// world with a gigabyte of uploads costs no gigabyte.

/** A deep copy of objects, arrays, maps and sets. What is referred to twice is copied once. */
export const copyOf = <T>(value: T): T => copied(value, new Map()) as T

function copied(value: unknown, known: Map<object, object>): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  const earlier = known.get(value)
  if (earlier !== undefined) return earlier
  if (Array.isArray(value)) {
    const list: unknown[] = []
    known.set(value, list)
    for (const item of value) list.push(copied(item, known))
    return list
  }
  if (value instanceof Map) {
    const map = new Map<unknown, unknown>()
    known.set(value, map)
    for (const [key, item] of value) map.set(copied(key, known), copied(item, known))
    return map
  }
  if (value instanceof Set) {
    const set = new Set<unknown>()
    known.set(value, set)
    for (const item of value) set.add(copied(item, known))
    return set
  }
  const object: Record<string, unknown> = {}
  known.set(value, object)
  for (const [name, member] of Object.entries(value)) {
    const own = copied(member, known)
    // Assigned, this name would set the prototype.
    if (name === '__proto__') Object.defineProperty(object, name, { value: own, enumerable: true })
    else object[name] = own
  }
  return object
}
