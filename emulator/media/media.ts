// What a file of video or sound says about itself. The bytes are untrusted: nothing here throws, and every read moves
// forward.

import { probeAvi } from './avi.ts'
import { probeFlac, probeMp3, probeOgg, probeWav } from './sounds.ts'
import { probeMp4 } from './mp4.ts'
import { probeWebm } from './webm.ts'
import type { MediaFacts, SoundFacts, VideoFacts } from './facts.ts'

const probes = [probeMp4, probeWebm, probeWav, probeFlac, probeOgg, probeAvi, probeMp3]

/** The video and the sound in a file; empty for any other. What they say is possible, if not true. */
export function probeMedia(bytes: Uint8Array): MediaFacts {
  for (const probe of probes) {
    const { video, sound } = probe(bytes) ?? {}
    const found = {
      ...(video !== undefined && isPossibleVideo(video) && { video }),
      ...(sound !== undefined && isPossibleSound(sound) && { sound }),
    }
    if (found.video !== undefined || found.sound !== undefined) return found
  }
  return {}
}

const MOST_SIDE = 32_768
const MOST_FRAMES = 2 ** 24
const MOST_RATE = 1_000_000
const MOST_CHANNELS = 255
const MOST_SAMPLES = 2 ** 40

const isWhole = (value: number, most: number): boolean =>
  Number.isInteger(value) && value > 0 && value <= most

const isPossibleVideo = ({ width, height, frames, fps }: VideoFacts): boolean =>
  isWhole(width, MOST_SIDE) &&
  isWhole(height, MOST_SIDE) &&
  isWhole(frames, MOST_FRAMES) &&
  fps > 0 &&
  fps <= MOST_RATE

const isPossibleSound = ({ rate, channels, samples }: SoundFacts): boolean =>
  isWhole(rate, MOST_RATE) && isWhole(channels, MOST_CHANNELS) && isWhole(samples, MOST_SAMPLES)
