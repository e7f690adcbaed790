// Nodes that load files, and what node types check themselves before a run.

import { type Graph, node } from '../../generate/graphs.ts'
import { placedIn, put } from '../../judge/own-files.ts'
import { needsPosix } from '../../judge/own-runs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'
import { pngOf } from '../../nodes/uploads.ts'
import { errorIn, exceptionOf, picturesOf, runOf, textsOf } from '../../judge/nodes/shown.ts'

/** The errors of the only invalid node, as their types and details. */
async function errorsOf({ submit }: Subject, graph: Graph): Promise<unknown> {
  const reply = await submit(graph)
  expect(reply.status).toBe(400)
  const [entry] = Object.values<any>(reply.json().node_errors)
  return entry.errors.map(({ type, details }: any) => [type, details])
}

/** The sizes and the first pixels of the pictures that the run shows, or its exception. */
async function shown(subject: Subject, graph: Graph): Promise<unknown> {
  const run = await runOf(subject, graph)
  const error = exceptionOf(run)
  if (error !== undefined) return [error.exception_type, error.exception_message]
  const seen: unknown[] = []
  for (const output of Object.values(run.entry.outputs))
    for (const { width, height, rgba } of await picturesOf(subject, output))
      seen.push([`${width}x${height}`, ...rgba.slice(0, 3)])
  return seen
}

const preview = (source: string, slot = 0) => node('PreviewImage', { images: [source, slot] })
const dark = pngOf({ w: 3, h: 2, pattern: 'solid:10,20,30' }, 0)
const light = pngOf({ w: 5, h: 4, pattern: 'solid:200,210,220' }, 0)
const seen = pngOf({ w: 3, h: 2, pattern: 'solid:10,20,30,255', mode: 'RGBA' }, 0)

const still = {
  camera_control_type: 'simple',
  horizontal_movement: 0,
  vertical_movement: 0,
  pan: 0,
  tilt: 0,
  roll: 0,
  zoom: 0,
}

proves('nodes/own-checks', async (subject) => {
  const moving = (inputs: object): Graph => ({
    number: node('PrimitiveFloat', { value: 1 }),
    camera: node('KlingCameraControls', { ...still, ...inputs }),
    show: node('PreviewAny', { source: ['camera', 0] }),
  })
  const text = 'Invalid camera control configs: at least one of the values must be non-zero'
  const names = Object.keys(still).slice(1)
  expect(await errorsOf(subject, moving({}))).toEqual(
    names.map((name) => ['custom_validation_failed', `${name} - ${text}`]),
  )
  expect(await errorsOf(subject, moving({ pan: ['number', 0] }))).toEqual([
    ['exception_during_inner_validation', 'must be real number, not NoneType'],
  ])
  expect(await errorsOf(subject, moving({ pan: 'fast' }))).toEqual([
    ['exception_during_inner_validation', 'must be real number, not str'],
  ])
  // After a movement nothing else is checked: the run fails at a value beyond its bounds.
  expect(await errorIn(subject, moving({ pan: 1, zoom: 11 }))).toMatchObject({
    exception_type: 'pydantic_core._pydantic_core.ValidationError',
  })
  const floats = {
    keyframes: node('CreateHookKeyframesFromFloats', {
      floats_strength: 'strong',
      start_percent: 0,
      end_percent: 1,
      print_keyframes: false,
    }),
    show: node('PreviewAny', { source: ['keyframes', 0] }),
  }
  expect(await errorsOf(subject, floats)).toEqual([
    ['exception_during_inner_validation', "'<' not supported between instances of 'str' and 'int'"],
  ])
})

proves('nodes/folder-as-file', async (subject) => {
  await needsPosix(subject)
  await put(subject, { name: 'dark.png', bytes: dark }, { subfolder: 'looks' })
  const { subfolder = '' } = placedIn(subject, 'looks')
  const loading = (image: string): Graph => ({
    load: node('LoadImage', { image }),
    show: preview('load'),
  })
  expect(await shown(subject, loading(subfolder))).toEqual([
    'IsADirectoryError',
    expect.stringMatching(new RegExp(`^\\[Errno 21\\] Is a directory: '.*/${subfolder}'\\n$`)),
  ])
  expect(await shown(subject, loading(''))).toMatchObject([
    'IsADirectoryError',
    expect.stringMatching(/\/'\n$/),
  ])
  expect(await shown(subject, loading(`${subfolder}/dark.png`))).toEqual([['3x2', 10, 20, 30]])
  expect(await errorsOf(subject, loading(`${subfolder}/none.png`))).toMatchObject([
    ['custom_validation_failed', /Invalid image file/],
  ])
})

proves(
  'nodes/folders',
  async (subject) => {
    const { upload } = subject
    await upload({ name: 'a.png', bytes: dark }, { subfolder: 'looks' })
    await upload({ name: 'b.PNG', bytes: light }, { subfolder: 'looks' })
    await upload({ name: 'c.txt', bytes: dark }, { subfolder: 'looks' })
    await upload({ name: 'd.png', bytes: light }, { subfolder: 'looks/deep' })
    await upload({ name: 'a.txt', bytes: dark }, { subfolder: 'texts' })
    const loading = (inputs: object): Graph => ({
      load: node('LoadImageSetFromFolderNode', { folder: 'looks', ...inputs }),
      show: preview('load'),
    })
    const both = [
      ['3x2', 10, 20, 30],
      ['3x2', 200, 210, 220],
    ]
    for (const resize_method of ['Stretch', 'Crop', 'Pad'])
      expect(await shown(subject, loading({ resize_method }))).toEqual(both)
    expect(await shown(subject, loading({ resize_method: 'None' }))).toMatchObject([
      'ValueError',
      /does not match the first image/,
    ])
    expect(await shown(subject, loading({ folder: 'texts', resize_method: 'None' }))).toEqual([
      'ValueError',
      'No valid images found in input\n',
    ])
    expect(await shown(subject, loading({}))).toMatchObject(['TypeError', /'resize_method'/])
    expect(await errorsOf(subject, loading({ folder: 'none' }))).toEqual([
      ['value_not_in_list', "folder: 'none' not in ['3d', 'looks', 'looks/deep', 'texts']"],
    ])
  },
  ownWorld,
)

proves(
  'nodes/rendered',
  async (subject) => {
    await put(subject, { name: 'seen.png', bytes: seen })
    const name = `${placedIn(subject).subfolder ?? ''}/seen.png`.replace(/^\//, '')
    const rendered = {
      image: name,
      mask: name,
      normal: name,
      lineart: name,
      camera_info: { zoom: 2 },
      recording: '',
    }
    const loading = (image: unknown): Graph => ({
      load: node('Load3D', { model_file: '3d/example.glb', image, width: 64, height: 64 }),
      show: preview('load'),
      lines: preview('load', 4),
    })
    const one = ['3x2', 10, 20, 30]
    expect(await shown(subject, loading(rendered))).toEqual([one, one])
    const { lineart: _, ...others } = rendered
    expect(await shown(subject, loading(others))).toEqual(['KeyError', "'lineart'\n"])
    expect(await shown(subject, loading(null))).toEqual([
      'TypeError',
      "'NoneType' object is not subscriptable\n",
    ])
    const load = { load: loading(rendered)['load']! }
    const texts = await textsOf(subject, load, { path: ['load', 2], camera: ['load', 5] })
    expect(texts['path']).toBe('3d/example.glb')
    expect(JSON.parse(texts['camera'] ?? '')).toEqual({ zoom: 2 })
  },
  ownWorld,
)
