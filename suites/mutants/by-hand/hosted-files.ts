// Wrong hosted servers that mishandle files: uploads, views, signed links and outputs.

import {
  each,
  type Mutants,
  onData,
  onJson,
  onReply,
  type Tamper,
  textOf,
  turned,
} from '../tamper.ts'

const onView = (change: Parameters<typeof onReply>[1]) => onReply(/^GET \/api\/view/, change)
const onUpload = (change: (reply: any) => unknown) => onJson(/^POST \/api\/upload\/\w+/, change)

/** Changes the answers of the host of the signed links. */
const onLink = (change: Parameters<typeof onReply>[1]) =>
  onReply(/./, (reply, request) => (request.links === true ? change(reply, request) : {}))

const statusOfLink = (from: number, to: number) =>
  onLink(({ status }) => ({ status: status === from ? to : status }))

/** Another path to the same file in a redirect. */
const onLocation = (change: (location: string) => string) =>
  onView(({ headers }) =>
    'Location' in headers
      ? { headers: { ...headers, Location: change(headers.Location ?? '') } }
      : {},
  )

/** Each view of a file returns the link of the first view, even when that has expired. */
function linksAreReused(): Tamper {
  const links = new Map<string, string>()
  return onView(({ headers }, { target }) => {
    const { Location } = headers
    if (Location === undefined) return {}
    if (!links.has(target)) links.set(target, Location)
    return { headers: { ...headers, Location: links.get(target) ?? Location } }
  })()
}

/** A link that one account received is returned to others that name the same file. */
function linksAreShared(): Tamper {
  const links = new Map<string, Parameters<Parameters<typeof onView>[0]>[0]>()
  return onView((reply, { target }) => {
    const name = /filename=([^&]*)/.exec(target)?.[1] ?? ''
    if (reply.status === 302) links.set(name, reply)
    const { status, headers, body } = links.get(name) ?? reply
    return reply.status === 404 ? { status, headers, body } : {}
  })()
}

/** The same bytes under another name are another file. */
function sameByName(): Tamper {
  const names = new Map<string, string>()
  return onJson(/^POST \/api\/upload\/image/, (reply, request) => {
    if (!('name' in reply)) return reply
    const filename = /filename="([^"]*)"/.exec(textOf(request))?.[1] ?? ''
    if (!names.has(reply.name)) names.set(reply.name, filename)
    const isSame = names.get(reply.name) === filename
    return isSame ? reply : { ...reply, name: `1${reply.name}` }
  })()
}

export const hostedFiles: Mutants = {
  'hosted-upload-redirects': {
    breaks: ['files/hosted-view-only'],
    tamper: onReply(/^GET \/api\/queue/, () => ({ status: 307 })),
  },
  'hosted-link-on-the-same-host': {
    breaks: ['files/hosted-view', 'files/hosted-signed-url', 'files/hosted-link-host'],
    tamper: onLocation((location) => location.replace('localhost', '127.0.0.1')),
  },
  'hosted-link-needs-the-key': {
    breaks: ['files/hosted-view', 'files/hosted-signed-url', 'files/hosted-link-file'],
    tamper: each((effect, input) => {
      const isLink = input.kind === 'request' && input.links === true
      if (effect.kind !== 'reply' || !isLink || 'x-api-key' in input.headers) return [effect]
      return [{ kind: 'reply', request: effect.request, status: 401, headers: {}, body: '' }]
    }),
  },
  'hosted-link-contains-the-key': {
    breaks: ['files/hosted-link-query'],
    tamper: onLocation((location) => `${location}&key=test-key`),
  },
  'hosted-link-to-nowhere': {
    breaks: ['files/hosted-link-base', 'files/hosted-link-query'],
    tamper: onLocation((location) => location.replace(/^(https?:\/\/[^/]+)\/[^/?]+/, '$1/user')),
  },
  'hosted-link-takes-all': {
    breaks: ['files/hosted-link-tampered', 'files/hosted-link-account'],
    tamper: statusOfLink(403, 200),
  },
  'hosted-link-whole': {
    breaks: ['files/hosted-link-file'],
    tamper: onLink(({ file }) => (file === undefined ? {} : { file: { ...file, tag: '' } })),
  },
  'hosted-leak-unsaid': {
    breaks: ['files/hosted-link-leak', 'files/hosted-link-strict'],
    tamper: each((effect) => (effect.kind === 'leak' ? [] : [effect])),
  },
  'hosted-strict-is-not': {
    breaks: ['files/hosted-link-strict'],
    options: { strictSignedLinks: false },
  },
  'hosted-link-for-one-page': {
    breaks: ['files/hosted-link-cors'],
    tamper: onLink(({ headers }) => ({
      headers: { ...headers, 'Access-Control-Allow-Origin': 'https://pages.example' },
    })),
  },
  'hosted-upload-keeps-its-name': {
    breaks: ['files/hosted-upload-name', 'files/hosted-upload-subfolder'],
    tamper: onUpload((reply) => ('name' in reply ? { ...reply, name: 'my.png' } : reply)),
  },
  'hosted-upload-in-its-subfolder': {
    breaks: ['files/hosted-upload-subfolder', 'files/hosted-mask', 'files/mask'],
    tamper: onUpload((reply) => ('name' in reply ? { ...reply, subfolder: 'flat' } : reply)),
  },
  'hosted-upload-is-input': {
    breaks: ['files/hosted-upload-type', 'files/upload-reply', 'files/mask'],
    tamper: onUpload((reply) => ('name' in reply ? { ...reply, type: 'input' } : reply)),
  },
  'hosted-upload-by-count': {
    breaks: ['files/hosted-upload-same'],
    tamper: () => {
      let count = 0
      return onUpload((reply) => ({ ...reply, name: `${count++}${reply.name}` }))()
    },
  },
  'hosted-upload-bad-is-422': {
    breaks: [
      'files/hosted-upload-bad',
      'files/hosted-upload-limits',
      'files/hosted-mask-unfit',
      'files/hosted-mask-original',
    ],
    tamper: turned(/^POST \/api\/upload/, 400, 422),
  },
  'hosted-mask-is-not-put-on': {
    breaks: ['files/hosted-mask', 'files/mask', 'files/mask-original'],
    tamper: onReply(/^GET /, ({ body }) => {
      const file: any = body
      return file.picture?.kind === 'masked'
        ? { body: { ...file, picture: file.picture.of } as typeof body }
        : {}
    }),
  },
  'hosted-output-by-prefix': {
    breaks: ['files/hosted-output-name'],
    tamper: onData('executed', (data) =>
      JSON.parse(JSON.stringify(data).replaceAll(/"filename":"\w+/g, '"filename":"ComfyUI_00001_')),
    ),
  },
  'hosted-links-are-reused': { breaks: ['files/hosted-link-expiry'], tamper: linksAreReused },
  'hosted-links-are-shared': {
    breaks: ['files/hosted-view-missing', 'access/hosted-accounts-apart'],
    missedBy: ['access/hosted-accounts-apart'],
    tamper: linksAreShared,
  },
  'hosted-same-bytes-by-name': { breaks: ['files/hosted-upload-same'], tamper: sameByName },
  'hosted-videos': {
    breaks: ['files/hosted-video'],
    tamper: onData('executed', (data) =>
      JSON.parse(JSON.stringify(data).replace('"video":', '"videos":')),
    ),
  },
}
