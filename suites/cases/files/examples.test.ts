// Files: the examples among the inputs, and the nodes that offer them.

import { viewPath } from '../../generate/form.ts'
import { node } from '../../generate/graphs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

/** Every node type that names an example, with its input for the name. */
const examples: readonly [class_type: string, input: string, names: readonly string[]][] = [
  ['LoadImage', 'image', ['example.png']],
  ['LoadAudio', 'audio', ['example.mp3', 'example.mp4', 'example.wav']],
  ['LoadVideo', 'file', ['example.mp4']],
  ['LoadLatent', 'latent', ['example.latent']],
  ['Load3D', 'model_file', ['3d/example.glb']],
  ['Load3DAnimation', 'model_file', ['3d/example.glb']],
  ['OpenAIInputFiles', 'file', ['notes.txt']],
  ['GeminiInputFiles', 'file', ['notes.txt']],
]

proves(
  'files/examples',
  async ({ get, submit, upload }) => {
    const choices = async (class_type: string, input: string) => {
      const { required } = (await get(`/object_info/${class_type}`)).json()[class_type].input
      const [list, options] = required[input]
      return Array.isArray(list) ? list : options.options
    }
    for (const [class_type, input, names] of examples) {
      expect([class_type, await choices(class_type, input)]).toEqual([class_type, names])
      for (const name of names) {
        const cut = name.lastIndexOf('/') + 1
        const file = { filename: name.slice(cut), subfolder: name.slice(0, cut), type: 'input' }
        const { status, bytes } = await get(viewPath(file))
        expect([name, status, bytes.length > 10]).toEqual([name, 200, true])
      }
    }
    const bytes = new Uint8Array(1)
    await upload({ name: 'new.obj', bytes }, { subfolder: '3d/deep' })
    await upload({ name: 'top.obj', bytes })
    await upload({ name: 'new.pdf', bytes })
    const meshes = ['3d/deep/new.obj', '3d/example.glb']
    expect(await choices('Load3D', 'model_file')).toEqual(meshes)
    expect(await choices('OpenAIInputFiles', 'file')).toEqual(['new.pdf', 'notes.txt'])
    const loading = async (model_file: string) =>
      submit({
        '1': node('Load3D', { model_file, image: '', width: 64, height: 64 }),
        '2': node('PreviewImage', { images: ['1', 0] }),
      })
    expect((await loading('3d/deep/new.obj')).status).toBe(200)
    const refused = (await loading('3d/none.obj')).json().node_errors['1'].errors[0]
    expect(refused.type).toBe('value_not_in_list')
    expect(refused.details).toBe(
      `model_file: '3d/none.obj' not in ['3d/deep/new.obj', '3d/example.glb']`,
    )
  },
  ownWorld,
)
