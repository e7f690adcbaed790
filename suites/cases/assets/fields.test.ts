// What an asset says of its file, and what describes it.

import { asset } from '../../../spec/assets/assets.ts'
import { violations } from '../../judge/judge.ts'
import {
  ask,
  labelOf,
  listed,
  nobody,
  refusalOf,
  upload,
  uploaded,
} from '../../judge/own-assets.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const on = { assets: true }

proves(
  'assets/upload-fields',
  async (subject) => {
    const preview = await uploaded(subject, 'preview.png')
    const fields = {
      tags: 'input',
      name: ` ${labelOf(subject, 'shown')} `,
      mime_type: 'application/x-mine',
      user_metadata: '{"n": 18446744073709551615, "o": {}}',
      preview_id: preview.id,
    }
    const reply = await upload(subject, 'file.bin', fields)
    expect(reply.json()).toMatchObject({
      name: labelOf(subject, 'shown'),
      mime_type: 'application/x-mine',
      preview_id: preview.id,
    })
    expect(reply.text).toContain('"user_metadata": {"n": 18446744073709551615, "o": {}')
    // An unknown preview is none.
    const without = await uploaded(subject, 'other.bin', { tags: 'input', preview_id: nobody })
    expect(without).not.toHaveProperty('preview_id')
  },
  on,
)

proves(
  'assets/filename',
  async (subject) => {
    const user_metadata = '{"filename": "mine", "n": 1}'
    const found = await uploaded(subject, 'named.txt', { tags: 'input', user_metadata })
    const filename = found.loader_path
    expect(found.user_metadata).toEqual({ filename, n: 1 })
    const path = `/api/assets/${found.id}`
    for (const [given, stored] of [
      [{}, { filename }],
      [{ n: 2 }, { n: 2, filename }],
      [{ filename: null }, { filename }],
    ]) {
      const changed = await ask(subject, 'PUT', path, { user_metadata: given })
      expect(changed.json().user_metadata).toEqual(stored)
    }
    const query = `metadata_filter=${encodeURIComponent(JSON.stringify({ filename }))}`
    expect((await listed(subject, query)).assets.map(({ id }) => id)).toEqual([found.id])
    // What only names the content has no file.
    const content = `${subject.unique('named.txt')} of the case`
    const again = await uploaded(subject, 'again', { user_metadata }, content)
    expect(again.user_metadata).toEqual({ filename: 'mine', n: 1 })
  },
  on,
)

proves(
  'assets/upload-bad-fields',
  async (subject) => {
    for (const fields of [
      { name: 'n'.repeat(513) },
      { user_metadata: '{' },
      { user_metadata: '[]' },
      { user_metadata: '3' },
    ]) {
      const reply = await upload(subject, 'bad', { tags: 'input', ...fields })
      expect({ fields, refusal: refusalOf(reply) }).toEqual({
        fields,
        refusal: '400 INVALID_BODY',
      })
      expect(reply.json().error.message).toMatch(/^Validation failed: \[\{"type": ?"/)
    }
    expect((await upload(subject, 'long', { tags: 'input', name: 'n'.repeat(512) })).status).toBe(
      201,
    )
  },
  on,
)

proves(
  'assets/fields',
  async (subject) => {
    const { id } = await uploaded(subject, 'fields.svg', { tags: 'output' })
    const reply = await ask(subject, 'GET', `/api/assets/${id}`)
    expect(violations(asset, reply.json())).toEqual([])
    const { loader_path, display_name, ...found } = reply.json()
    expect(found).toMatchObject({
      id,
      name: 'fields.svg',
      mime_type: 'image/svg+xml',
      tags: ['output', 'uploaded'],
      user_metadata: {},
    })
    expect(display_name).toBe(loader_path)
    // What has no value is absent.
    for (const name of ['preview_id', 'job_id', 'prompt_id']) expect(found).not.toHaveProperty(name)
  },
  on,
)

proves(
  'assets/older-members',
  async (subject) => {
    const found = await uploaded(subject, 'older')
    expect(found).toMatchObject({ asset_hash: found.hash, is_immutable: false })
  },
  on,
)

proves(
  'assets/newer-members',
  async (subject) => {
    const found = await uploaded(subject, 'newer')
    expect(Object.keys(found)).toContain('loader_path')
    for (const name of ['asset_hash', 'is_immutable']) expect(found).not.toHaveProperty(name)
  },
  on,
)
