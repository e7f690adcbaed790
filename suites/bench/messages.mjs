// What the fan-out sends, the same for both servers, and how its cost is measured.

const padded = (type, length) => {
  const [before, after] = [`{"type": "${type}", "data": {"value": "`, '"}}']
  return before + 'x'.repeat(length - before.length - after.length) + after
}

const contents = {
  /** One status message. */
  text: [padded('status', 198)],
  /** One preview of 30 KiB. */
  frame: [Buffer.alloc(30 * 1024, 7)],
  /** What one step of a sampler sends: the state of all nodes, the progress, the status. */
  burst: [padded('progress_state', 1024), padded('progress', 120), padded('status', 198)],
}

export const messagesOf = (what) => contents[what]

/** How many sends are under way before the sockets get time to take them. */
const BATCH = 10

/** Processor time of this process for one call of `sendAll`, in microseconds. */
export async function timeSends(sendAll, flushed, times) {
  const before = process.cpuUsage()
  for (let done = 0; done < times; done += BATCH) {
    for (let index = 0; index < BATCH; index++) sendAll()
    await flushed()
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}
