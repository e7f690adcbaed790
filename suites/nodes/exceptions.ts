// The recorded lines that do not hold, by type: how many, and why.

/** Numbers of lines with outputs, with an exception, and refused, that differ. */
export type Exception = {
  readonly outputs?: number
  readonly errors?: number
  readonly refusals?: number
  readonly reason: string
}

export const exceptions: Readonly<Record<string, Exception>> = {
  CreateHookKeyframesFromFloats: {
    refusals: 2,
    reason: 'a check of the type itself: a text or nothing in place of numbers',
  },
  CreateHookKeyframesInterpolated: { outputs: 1, reason: 'one curve in the opposite direction' },
  GITSScheduler: {
    outputs: 14,
    errors: 1,
    reason: 'the table of its noise levels is not built in',
  },
  KarrasScheduler: { outputs: 5, reason: 'complex numbers: a root of a negative level' },
  KlingCameraControls: {
    errors: 11,
    refusals: 10,
    reason: 'a check of the type itself, which also replaces that of its bounds',
  },
  LTXVScheduler: { outputs: 2, reason: 'a division of 0 by 0 at one step' },
  Load3D: {
    outputs: 8,
    errors: 5,
    refusals: 10,
    reason: 'pictures that a front end has rendered; files in subfolders are listed',
  },
  Load3DAnimation: { outputs: 12, errors: 6, refusals: 7, reason: 'as Load3D' },
  LoadAudio: { errors: 1, reason: 'an empty file name is refused before the run' },
  LoadImage: { errors: 2, reason: 'an empty file name or a folder is refused before the run' },
  LoadImageMask: { errors: 1, reason: 'as LoadImage' },
  LoadImageOutput: { errors: 1, reason: 'as LoadImage' },
  LoadImageSetFromFolderNode: {
    outputs: 5,
    errors: 11,
    refusals: 8,
    reason: 'folders of pictures are not loaded; more subfolders are listed',
  },
  LoadLatent: { errors: 1, reason: 'an empty file name is refused before the run' },
  LoadVideo: { outputs: 2, reason: 'an empty file name is refused; videos are not decoded' },
  PixverseTemplateNode: { outputs: 5, errors: 2, reason: 'numbers of a service' },
  RecordAudio: { errors: 1, reason: 'an empty file name names no folder here' },
  SaveAnimatedWEBP: {
    outputs: 1,
    reason: 'the encoder chooses colours under transparent pixels by what compresses best',
  },
  SaveAudioOpus: { errors: 1, reason: 'a codec that refuses a rate' },
  WebcamCapture: { errors: 1, refusals: 1, reason: 'as LoadImage' },
}
