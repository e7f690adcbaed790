// The recorded lines that do not hold, by type: how many, and why.

/** Numbers of lines with outputs, with an exception, and refused, that differ. */
export type Exception = {
  readonly outputs?: number
  readonly errors?: number
  readonly refusals?: number
  readonly reason: string
}

export const exceptions: Readonly<Record<string, Exception>> = {
  InvertMask: {
    outputs: 1,
    reason: 'a number in place of a mask: the next node fails, not this one',
  },
  Load3D: { outputs: 1, reason: 'videos are not decoded' },
  Load3DAnimation: { outputs: 1, reason: 'as Load3D' },
  LoadImageSetFromFolderNode: {
    outputs: 3,
    reason: 'the order of a folder: of its file system there, of the uploads here',
  },
  LoadVideo: { outputs: 2, reason: 'videos are not decoded' },
  SaveAnimatedWEBP: { outputs: 1, reason: 'animations have no alpha' },
}
