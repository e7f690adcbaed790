// Model folders and previews of servers of 2026.

import { hostedModelFolders } from '../../../spec/server/catalog.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

type Folder = {
  readonly name: string
  readonly folders: readonly string[]
  readonly extensions: readonly string[]
}

proves('catalog/experiment-extensions', async ({ get }) => {
  const folders: Folder[] = (await get('/experiment/models')).json()
  expect(violations(hostedModelFolders, folders)).toEqual([])
  const paths = (await get('/internal/folder_paths')).json()
  for (const { name, folders: of, extensions } of folders) {
    expect({ name, of }).toEqual({ name, of: paths[name] })
    expect({ name, extensions }).toEqual({ name, extensions: extensions.toSorted() })
  }
  const loras = folders.find(({ name }) => name === 'loras')
  expect(loras?.extensions).toContain('.safetensors')
})

proves('catalog/model-preview-refusals', async ({ get }) => {
  const [model] = (await get('/models/loras')).json()
  const statuses: readonly (readonly [path: string, status: number])[] = [
    [`loras/0/${model}`, 404],
    ['loras/99/x', 404],
    ['loras/-99/x', 404],
    ['unknown/0/x', 404],
    ['loras/a/x', 400],
    ['loras/1.5/x', 400],
    ['loras/0/', 400],
    ['loras/0/..%2F..%2Fx', 403],
  ]
  for (const [path, status] of statuses) {
    const reply = await get(`/experiment/models/preview/${path}`)
    expect({ path, status: reply.status, text: reply.text }).toEqual({ path, status, text: '' })
  }
})
