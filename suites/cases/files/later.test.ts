// Viewed files of servers of 2026: no browser runs them as a page.

import { passing, put, viewOf } from '../../judge/own-files.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'

const putText = (subject: Subject, name: string) =>
  put(subject, { name, bytes: Buffer.from(name) }, passing)
const nosniff = 'nosniff'

proves('files/view-guarded', async (subject) => {
  const types = {
    'a.png': 'image/png',
    'a.webm': 'video/webm',
    'a.txt': 'text/plain',
    'a.json': 'application/json',
    none: 'application/octet-stream',
  }
  for (const [name, type] of Object.entries(types)) {
    await putText(subject, name)
    const reply = await subject.get(viewOf(subject, { filename: name, ...passing }))
    expect({ name, text: reply.text, headers: reply.headers }).toMatchObject({
      name,
      text: name,
      headers: {
        'content-type': type,
        'content-disposition': `filename="${name}"`,
        'x-content-type-options': nosniff,
      },
    })
  }
  // A server knows .xhtml only by the list of types of its machine, and sends an unknown type as bytes anyway.
  const rare = subject.isOwn ? ['a.xhtml'] : []
  for (const name of ['a.html', 'a.svg', 'a.xml', 'a.js', 'a.css', ...rare]) {
    await putText(subject, name)
    const reply = await subject.get(viewOf(subject, { filename: name, ...passing }))
    expect({ name, text: reply.text, headers: reply.headers }).toMatchObject({
      name,
      text: name,
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="${name}"`,
        'x-content-type-options': nosniff,
      },
    })
  }
  // A picture in another form is made by the server.
  const converted = await subject.get('/view?filename=example.png&type=input&channel=rgb')
  if (converted.status === 200)
    expect(converted.headers).not.toHaveProperty('x-content-type-options')
})

proves('files/view-as-image', async (subject) => {
  const path = viewOf(subject, { filename: 'shown.svg', ...passing })
  await putText(subject, 'shown.svg')
  const viewFor = async (use: string) =>
    (await subject.request('GET', path, undefined, { 'Sec-Fetch-Dest': use })).headers
  expect(await viewFor('image')).toMatchObject({
    'content-type': 'image/svg+xml',
    'content-disposition': 'filename="shown.svg"',
    'cache-control': 'no-store',
    vary: 'Sec-Fetch-Dest',
  })
  expect(await viewFor('document')).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment; filename="shown.svg"',
    'cache-control': 'no-store',
    vary: 'Sec-Fetch-Dest',
  })
  await putText(subject, 'shown.html')
  const page = viewOf(subject, { filename: 'shown.html', ...passing })
  const { headers } = await subject.request('GET', page, undefined, { 'Sec-Fetch-Dest': 'image' })
  expect(headers['content-type']).toBe('application/octet-stream')
})
