// A binary heap: finds the smallest item without sorting the rest.

/** Adds an item. `before` returns whether one item precedes another; it must be a strict order. */
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

/** Removes and returns the first item; undefined if empty. */
export function popHeap<T>(heap: T[], before: (a: T, b: T) => boolean): T | undefined {
  const first = heap[0]
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return first
  sink(heap, 0, last, before)
  return first
}

/** Arranges the items of a list as a heap, like Python's heapify. */
export function makeHeap<T>(list: T[], before: (a: T, b: T) => boolean): void {
  for (let at = (list.length >> 1) - 1; at >= 0; at--) sink(list, at, list[at]!, before)
}

/** Sifts an item down from an index, so that nothing below precedes it. */
function sink<T>(heap: T[], at: number, item: T, before: (a: T, b: T) => boolean): void {
  let parent = at
  for (;;) {
    let child = 2 * parent + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++
    if (!before(heap[child]!, item)) break
    heap[parent] = heap[child]!
    parent = child
  }
  heap[parent] = item
}
