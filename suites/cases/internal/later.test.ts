// The files of the folders, as servers of 2026 list them.

import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

proves('internal/files-annotated', async (subject) => {
  const bytes = new Uint8Array(1)
  const names = async (type: string): Promise<string[]> =>
    (await subject.get(`/internal/files/${type}`)).json()
  const name = `${subject.unique('new').replaceAll('/', '-')}.png`
  await subject.upload({ name, bytes })
  await subject.upload({ name: `.${name}`, bytes })
  const listed = await names('input')
  expect(listed).toContain(`${name} [input]`)
  expect(listed.filter((one) => !one.endsWith(' [input]') || one.startsWith('.'))).toEqual([])
  await subject.upload({ name, bytes }, { type: 'temp' })
  expect(await names('temp')).toContain(`${name} [temp]`)
  expect(await names('output')).not.toContain(`${name} [output]`)
})
