// A binary heap: the smallest item first, without sorting what is behind it.

/** Adds an item. `before` tells whether one item comes before another; it must be a strict order. */
export function pushHeap<T>(heap: T[], item: T, before: (a: T, b: T) => boolean): void {
  let child = heap.length
  heap.push(item)
  while (child > 0) {
    const parent = (child - 1) >> 1
    if (!before(item, heap[parent]!)) break
    heap[child] = heap[parent]!
    child = parent
  }
  heap[child] = item
}

/** Takes the first item, or undefined when there is none. */
export function popHeap<T>(heap: T[], before: (a: T, b: T) => boolean): T | undefined {
  const first = heap[0]
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return first
  let parent = 0
  for (;;) {
    let child = 2 * parent + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++
    if (!before(heap[child]!, last)) break
    heap[parent] = heap[child]!
    parent = child
  }
  heap[parent] = last
  return first
}
