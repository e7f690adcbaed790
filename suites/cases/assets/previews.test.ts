// Where the previews of assets are.

import { ask, uploaded } from '../../judge/own-assets.ts'
import { put } from '../../judge/own-files.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'

const on = { assets: true }
const pathOf = ({ id }: { readonly id: string }, more = ''): string => `/api/assets/${id}${more}`

proves(
  'assets/preview-url',
  async (subject) => {
    for (const [name, has] of [
      ['a.png', true],
      ['a.mp4', true],
      ['a.mp3', true],
      ['a.txt', true],
      ['a.zip', false],
      ['a.glb', false],
    ] as const) {
      const { preview_url, loader_path } = await uploaded(subject, name)
      const url = has ? `/api/view?type=input&filename=${loader_path}` : undefined
      expect({ name, url: preview_url }).toEqual({ name, url })
      if (url !== undefined)
        expect((await subject.raw('GET', url)).text).toBe(`${subject.unique(name)} of the case`)
    }
    const tags = 'models,model_type:loras'
    expect(await uploaded(subject, 'model.txt', { tags })).not.toHaveProperty('preview_url')
  },
  on,
)

proves(
  'assets/preview-of-metadata',
  async (subject) => {
    for (const [name, type] of [
      ['a.png', 'input'],
      ['a.zip', 'output'],
    ] as const) {
      const { id, preview_url, loader_path } = await uploaded(subject, name, { tags: type })
      const url = `/api/view?type=${type}&filename=${loader_path}`
      expect({ name, url: preview_url }).toEqual({ name, url })
      expect((await subject.raw('GET', url)).text).toBe(`${subject.unique(name)} of the case`)
      // Without the tag there is no folder.
      await ask(subject, 'DELETE', pathOf({ id }, '/tags'), { tags: [type] })
      expect((await ask(subject, 'GET', pathOf({ id }))).json()).not.toHaveProperty('preview_url')
    }
    const known = `${subject.unique('a.png')} of the case`
    const of = (user_metadata: string) =>
      uploaded(subject, 'b.png', { tags: 'input', user_metadata }, known)
    expect(await of('{}')).not.toHaveProperty('preview_url')
    expect((await of('{"filename": "x y/z+1.png"}')).preview_url).toBe(
      '/api/view?type=input&filename=z%2B1.png&subfolder=x%20y',
    )
    const tags = 'models,model_type:loras'
    expect(await uploaded(subject, 'model.txt', { tags })).not.toHaveProperty('preview_url')
  },
  on,
)

/** A model with the preview of another asset. */
async function shownBy(subject: Subject) {
  const preview = await uploaded(subject, 'shown.png')
  const fields = { tags: 'models,model_type:loras', preview_id: preview.id }
  return { preview, model: await uploaded(subject, 'm.safetensors', fields) }
}

proves(
  'assets/preview-of-other',
  async (subject) => {
    const { preview, model } = await shownBy(subject)
    expect(model.preview_url).toBe(preview.preview_url)
  },
  on,
)

proves(
  'assets/preview-of-upload',
  async (subject) => {
    const { preview, model } = await shownBy(subject)
    expect(model).toMatchObject({ preview_id: preview.id })
    expect(model).not.toHaveProperty('preview_url')
    // That of a file which no client has uploaded here is shown.
    const bytes = Buffer.from(subject.unique('other'))
    const other = (await put(subject, { name: 'other.png', bytes })).json().asset
    const changed = await ask(subject, 'PUT', pathOf(model), { preview_id: other.id })
    const { preview_url } = (await ask(subject, 'GET', pathOf(other))).json()
    expect(preview_url).toContain('/api/view?type=input&filename=other.png')
    expect(changed.json().preview_url).toBe(preview_url)
  },
  on,
)
