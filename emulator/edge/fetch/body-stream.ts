// A response body that arrives part by part, and can break off.

export type BodyStream = {
  readonly stream: ReadableStream<Uint8Array>
  readonly push: (part: Uint8Array) => void
  readonly end: () => void
  /** Breaks off after what was pushed: reading it further fails. */
  readonly fail: (error: Error) => void
  /** How many bytes wait for the reader. */
  readonly waitingBytes: () => number
}

/** @param cancelled is called when the reader cancels the stream. */
export function createBodyStream(cancelled: () => void = () => undefined): BodyStream {
  const steps: ((controller: ReadableStreamDefaultController<Uint8Array>) => void)[] = []
  let wake: (() => void) | undefined
  let waitingBytes = 0
  const add = (step: (typeof steps)[number]): void => {
    steps.push(step)
    wake?.()
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      // A stream drops what it holds when it fails: each part enters it only when it is read.
      pull: async (controller) => {
        if (steps.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        steps.shift()?.(controller)
      },
      cancel: () => {
        steps.length = 0
        waitingBytes = 0
        cancelled()
      },
    },
    { highWaterMark: 0 },
  )
  return {
    stream,
    push: (part) => {
      if (part.length === 0) return
      waitingBytes += part.length
      add((controller) => {
        waitingBytes -= part.length
        controller.enqueue(part)
      })
    },
    end: () => add((controller) => controller.close()),
    fail: (error) => add((controller) => controller.error(error)),
    waitingBytes: () => waitingBytes,
  }
}
