// Ends the command of a user with all that it started: a process that leads a group.

/** Ends a process and those that it started. */
export function endGroup({ pid }: { readonly pid?: number | undefined }): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
