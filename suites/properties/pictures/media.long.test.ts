// What players make of the videos and sounds: ffprobe, ffmpeg, OpenCV, PyAV and Chromium, where they are installed.

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startEmulator } from 'flowdouble'
import { encodeFile, type MediaFile, type Picture } from '../../../dist/emulator/internal.js'
import { inChromium, isInstalled, none } from '../../support/browser/chromium.ts'
import { newFiles } from '../../support/files.ts'
import { decodeH264 } from '../../judge/media/h264.ts'
import { readMp4 } from '../../judge/media/mp4.ts'

type Wanted = { width: number; height: number; count: number; fps: number }

/** Five sizes: those of common models, an odd rate, the smallest and a still one. */
const sizes: readonly Wanted[] = [
  { width: 832, height: 480, count: 81, fps: 16 },
  { width: 1280, height: 720, count: 121, fps: 24 },
  { width: 130, height: 74, count: 60, fps: 29.97 },
  { width: 64, height: 64, count: 9, fps: 8 },
  { width: 512, height: 512, count: 1, fps: 24 },
]

const painted = (id: number, { width, height }: Wanted): Picture => ({
  kind: 'painted',
  id: 1000 * width + id,
  width,
  height,
})

const text = [['prompt', '{"1": {"class_type": "ü"}}']] as const

function videoFile(wanted: Wanted, format: 'mp4' | 'webm'): MediaFile {
  const [picture, ...rest] = Array.from({ length: wanted.count }, (_, at) => painted(at, wanted))
  const seconds = wanted.count / wanted.fps
  const sound = { id: 1, rate: 44_100, channels: 2, samples: Math.round(seconds * 44_100) }
  const animation = { rest, frameMs: 1000 / wanted.fps, sound }
  return { picture: picture!, format, animation, text }
}

const has = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0
const hasFfmpeg = has('ffprobe', '-version') && has('ffmpeg', '-version')
const hasPython = has('python3', '-c', 'import cv2, av')

/** Writes a file into a new folder, and returns its path. */
function written(name: string, bytes: Uint8Array): string {
  const path = join(newFiles().dir, name)
  writeFileSync(path, bytes)
  return path
}

function run(command: string, ...args: string[]): string {
  const { stdout, stderr, status } = spawnSync(command, args, { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

const cases = sizes.flatMap((wanted) =>
  (['mp4', 'webm'] as const).map((format) => Object.assign({ format }, wanted)),
)
const title = '$format of $count frames of $width x $height at $fps'

test.skipIf(!hasFfmpeg).each(cases)(`media/ffprobe ffprobe and ffmpeg read ${title}`, (wanted) => {
  const { format, width, height, count, fps } = wanted
  const path = written(`video.${format}`, encodeFile(videoFile(wanted, format)))
  const shown = JSON.parse(
    run(
      'ffprobe',
      '-v',
      'warning',
      '-count_frames',
      '-show_streams',
      '-show_format',
      '-of',
      'json',
      path,
    ),
  )
  const [video, sound] = shown.streams
  const [over, under] = video.avg_frame_rate.split('/').map(Number)
  expect({ ...video, rate: over / under }).toMatchObject({
    codec_name: format === 'mp4' ? 'h264' : 'vp8',
    width,
    height,
    nb_read_frames: `${count}`,
    rate: expect.closeTo(fps, 3),
  })
  const length = Number(video.duration ?? shown.format.duration)
  expect(length).toBeCloseTo(count / fps, 2)
  expect(sound?.codec_name).toBe(format === 'mp4' ? 'aac' : undefined)
  const tags = Object.entries(shown.format.tags).map(([key, value]) => [key.toLowerCase(), value])
  expect(JSON.parse(Object.fromEntries(tags).prompt)).toEqual({ 1: { class_type: 'ü' } })
  // No decoder says a word about it.
  run('ffmpeg', '-v', 'warning', '-i', path, '-f', 'null', '-')
})

test.skipIf(!hasFfmpeg).each(['wav', 'flac', 'mp3', 'opus'] as const)(
  'media/sounds ffprobe and ffmpeg read two seconds of %s',
  (format) => {
    for (const [rate, channels] of [
      [44_100, 2],
      [48_000, 1],
      [16_000, 2],
    ] as const) {
      const sound = { id: 5, rate, channels, samples: 2 * rate }
      const path = written(`sound.${format}`, encodeFile({ sound, format, text: [] }))
      const [stream] = JSON.parse(
        run('ffprobe', '-v', 'warning', '-show_streams', '-of', 'json', path),
      ).streams
      const kept = format === 'opus' ? 48_000 : rate
      expect([stream.sample_rate, stream.channels]).toEqual([`${kept}`, channels])
      expect(Math.abs(Number(stream.duration) - 2)).toBeLessThan(0.05)
      run('ffmpeg', '-v', 'error', '-i', path, '-f', 'null', '-')
    }
  },
)

/** Prints size, rate, frames and the mean brightness of the first block of the last frame, by both libraries. */
const script = `
import sys, json, cv2, av
path = sys.argv[1]
video = cv2.VideoCapture(path)
rate, size = video.get(cv2.CAP_PROP_FPS), [int(video.get(p)) for p in (3, 4)]
count = 0
while video.read()[0]: count += 1
with av.open(path) as container:
    frames = [frame.to_ndarray(format='yuv420p') for frame in container.decode(video=0)]
print(json.dumps([size, rate, count, len(frames), float(frames[-1][:16, :16].mean())]))
`

test.skipIf(!hasPython).each(cases)(`media/python OpenCV and PyAV read ${title}`, (wanted) => {
  const { format, width, height, count, fps } = wanted
  const path = written(`video.${format}`, encodeFile(videoFile(wanted, format)))
  const [size, rate, counted, decoded, light] = JSON.parse(run('python3', '-c', script, path))
  expect([size, counted, decoded]).toEqual([[width, height], count, count])
  expect(rate).toBeCloseTo(fps, 2)
  // What the decoder of the suites says of the same frame of the MP4 file.
  const mp4 = Buffer.from(encodeFile(videoFile(wanted, 'mp4')))
  const { frames } = decodeH264(readMp4(mp4).tracks[0]!)
  expect(light).toBe(frames.at(-1)!.planes[0][0])
})

/** A server whose input folder has these videos and sounds. */
async function serving(files: Readonly<Record<string, Uint8Array>>): Promise<{ url: string }> {
  const server = await startEmulator()
  onTestFinished(() => server.close())
  for (const [name, bytes] of Object.entries(files)) {
    const form = new FormData()
    form.set('image', new Blob([Uint8Array.from(bytes)]), name)
    expect((await fetch(`${server.url}/upload/image`, { method: 'POST', body: form })).status).toBe(
      200,
    )
  }
  return server
}

test.skipIf(!isInstalled)(
  isInstalled ? 'media/chromium Chromium plays, seeks and ends' : none,
  async () => {
    const files: Record<string, Uint8Array> = {}
    for (const wanted of sizes.slice(0, 4))
      for (const format of ['mp4', 'webm'] as const)
        files[`${wanted.width}.${format}`] = encodeFile(videoFile(wanted, format))
    for (const format of ['wav', 'flac', 'mp3', 'opus'] as const) {
      const sound = { id: 5, rate: 44_100, channels: 2, samples: 44_100 }
      files[`sound.${format}`] = encodeFile({ sound, format, text: [] })
    }
    const server = await serving(files)
    await inChromium(async (browser) => {
      const page = await browser.newPage()
      await page.goto(`${server.url}/system_stats`)
      for (const name of Object.keys(files)) {
        const url = `${server.url}/view?filename=${name}&type=input`
        const seen = await page.evaluate(playAndSeek, url)
        const wanted = sizes.find(({ width }) => name.startsWith(`${width}.`))
        const seconds = wanted === undefined ? 1 : wanted.count / wanted.fps
        expect([name, seen.error], JSON.stringify(seen)).toEqual([name, null])
        expect(Math.abs(seen.duration - seconds), name).toBeLessThan(0.1)
        expect(Math.abs(seen.sought - seconds / 2), name).toBeLessThan(0.1)
        expect([name, seen.ended]).toEqual([name, true])
        if (wanted !== undefined)
          expect([seen.width, seen.height]).toEqual([wanted.width, wanted.height])
      }
    })
  },
)

declare const document: { readonly createElement: (name: 'video') => Video }
/** What is used of a video in a page. */
type Video = {
  muted: boolean
  src: string
  currentTime: number
  readonly duration: number
  readonly videoWidth: number
  readonly videoHeight: number
  readonly ended: boolean
  readonly error: { readonly message: string } | null
  readonly play: () => Promise<void>
  readonly addEventListener: (name: string, listener: () => void, options: object) => void
}

/** In the page: loads, seeks to the middle, plays to the end. */
async function playAndSeek(url: string) {
  const video = document.createElement('video')
  const seen = {
    duration: 0,
    width: 0,
    height: 0,
    sought: 0,
    ended: false,
    error: null as string | null,
  }
  const when = (event: string) =>
    new Promise<void>((resolve, reject) => {
      video.addEventListener(event, () => resolve(), { once: true })
      video.addEventListener('error', () => reject(new Error(video.error?.message ?? 'error')), {
        once: true,
      })
    })
  try {
    const loaded = when('loadeddata')
    video.muted = true
    video.src = url
    await loaded
    Object.assign(seen, {
      duration: video.duration,
      width: video.videoWidth,
      height: video.videoHeight,
    })
    const sought = when('seeked')
    video.currentTime = video.duration / 2
    await sought
    seen.sought = video.currentTime
    const ended = when('ended')
    await video.play()
    await ended
    seen.ended = video.ended
  } catch (error) {
    seen.error = String(error)
  }
  return seen
}
