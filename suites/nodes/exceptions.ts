// The recorded lines that do not hold, by type: how many, and why.

/** Numbers of lines with outputs, with an exception, and refused, that differ. */
export type Exception = {
  readonly outputs?: number
  readonly errors?: number
  readonly refusals?: number
  readonly reason: string
}

export const exceptions: Readonly<Record<string, Exception>> = {
  CreateHookKeyframesInterpolated: { outputs: 1, reason: 'one curve in the opposite direction' },
  GITSScheduler: {
    outputs: 14,
    errors: 1,
    reason: 'the table of its noise levels is not built in',
  },
  InvertMask: {
    outputs: 1,
    reason: 'a number in place of a mask: the next node fails, not this one',
  },
  KarrasScheduler: { outputs: 5, reason: 'complex numbers: a root of a negative level' },
  LTXVScheduler: { outputs: 2, reason: 'a division of 0 by 0 at one step' },
  Load3D: { outputs: 1, reason: 'videos are not decoded' },
  Load3DAnimation: { outputs: 1, reason: 'as Load3D' },
  LoadImageSetFromFolderNode: {
    outputs: 3,
    reason: 'the order of a folder: of its file system there, of the uploads here',
  },
  LoadVideo: { outputs: 2, reason: 'videos are not decoded' },
  SaveAnimatedWEBP: { outputs: 1, reason: 'animations have no alpha' },
  SaveAudioOpus: { errors: 1, reason: 'a codec that refuses a rate' },
}
