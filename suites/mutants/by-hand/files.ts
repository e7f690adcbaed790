// Wrong servers that mishandle files: uploads and views.

import {
  answers,
  mapped,
  type Mutants,
  onData,
  onJson,
  onPicture,
  onReply,
  type Reply,
  stale,
  type Tamper,
  textOf,
  turned,
  without,
} from '../tamper.ts'

const onUpload = (change: (reply: any) => unknown) => onJson(/^POST \/upload\/image/, change)
const view = /^GET \/view/

/** All views of one file have the tag and date of the first. */
function tagsStay(): Tamper {
  const first = new Map<string, NonNullable<Reply['file']>>()
  return onReply(view, ({ file }, { target }) => {
    if (file === undefined) return {}
    if (!first.has(target)) first.set(target, file)
    return { file: first.get(target) ?? file }
  })()
}

/** A second upload of the same name is always new, even with the same bytes. */
function sameBytesAreNew(): Tamper {
  const names = new Set<string>()
  return onJson(/^POST \/upload\/image/, (reply, request) => {
    if (!('name' in reply) || textOf(request).includes('overwrite')) return reply
    const isKnown = names.has(reply.name)
    names.add(reply.name)
    return isKnown ? { ...reply, name: reply.name.replace('.', ' (1).') } : reply
  })()
}

const withoutHeader = (asked: RegExp, name: string) =>
  onReply(asked, ({ headers }) => ({ headers: without(headers, name) }))

export const files: Mutants = {
  'broken-files-are-missing': {
    breaks: ['files/loaded-broken'],
    tamper: onData('execution_error', (data) => ({ ...data, exception_message: 'No such file' })),
  },
  'bad-masks-are-refused': {
    breaks: ['files/mask-bad-original', 'files/mask-unfit'],
    tamper: turned(/^POST \/upload\/mask/, 500, 400),
  },
  'upload-loses-a-byte': {
    breaks: ['files/upload', 'files/view'],
    tamper: onReply(/^GET \/view/, ({ body }) =>
      body instanceof Uint8Array ? { body: body.subarray(0, -1) } : {},
    ),
  },
  'upload-only-to-input': {
    breaks: ['files/upload', 'files/view', 'files/view-annotated'],
    tamper: answers(/^GET \/view.*type=temp/, 404),
  },
  'upload-reply-is-a-text': {
    breaks: ['files/upload-reply'],
    tamper: onReply(/^POST \/upload\/image/, ({ headers }) => ({
      headers: { ...headers, 'Content-Type': 'text/plain' },
    })),
  },
  'overwrite-keeps-the-first': { breaks: ['files/upload-overwrite'], tamper: stale(/^GET \/view/) },
  'overwrite-renames': {
    breaks: ['files/upload-overwrite', 'files/upload-renamed'],
    tamper: onUpload((reply) => ({ ...reply, name: reply.name.replace('.', ' (1).') })),
  },
  'every-overwrite-is-a-yes': {
    breaks: ['files/upload-overwrite-words', 'files/upload-renamed'],
    tamper: onUpload((reply) => ({ ...reply, name: reply.name.replace(/ \(\d+\)/, '') })),
  },
  'taken-names-stay': {
    breaks: ['files/upload-renamed'],
    tamper: onUpload((reply) => ({ ...reply, name: reply.name.replace(' (1)', '') })),
  },
  'view-ignores-subfolder': {
    breaks: ['files/view', 'files/upload-subfolder'],
    tamper: answers(/^GET \/view.*subfolder=[^&]*(deep%2Fer|a%2Fb)/, 404),
  },
  'view-as-json': {
    breaks: ['files/view'],
    tamper: onReply(/^GET \/view/, () => ({ body: '{}' })),
  },
  'view-without-type': {
    breaks: ['files/view-headers'],
    tamper: onReply(/^GET \/view/, ({ headers }) => ({
      headers: without(headers, 'Content-Type'),
    })),
  },
  'loaded-keeps-alpha': {
    breaks: ['files/loaded-alpha'],
    tamper: onPicture((file) =>
      file.picture.kind === 'channel' ? { ...file, picture: file.picture.of } : file,
    ),
  },
  'loaded-mask-is-the-file': {
    breaks: ['files/loaded-mask'],
    tamper: onPicture((file) => {
      const mask = file.picture.of?.recipe?.inputs.mask?.pictures?.[0]
      return mask === undefined ? file : { ...file, picture: mask.of }
    }),
  },
  'mask-is-lost': {
    breaks: ['files/mask', 'files/mask-original', 'files/mask-alpha'],
    tamper: answers(/^GET \/view.*filename=[mn]\.png/, 404),
  },
  'tag-names-the-folder': {
    breaks: ['files/view-conditional'],
    tamper: onReply(/^GET \/view/, ({ file }) =>
      file === undefined ? {} : { file: { ...file, tag: 'input' } },
    ),
  },
  'date-is-the-epoch': {
    breaks: ['files/view-conditional'],
    tamper: onReply(/^GET \/view/, ({ file }) =>
      file === undefined ? {} : { file: { ...file, modifiedMs: 0 } },
    ),
  },
  'conversion-is-ignored': {
    breaks: ['files/view-converted'],
    tamper: onReply(/^GET \/view/, ({ headers }) => ({
      headers: { ...headers, 'Content-Type': 'image/png' },
    })),
  },
  'tags-stay-after-an-overwrite': { breaks: ['files/view-conditional'], tamper: tagsStay },
  'uploads-have-no-ranges': {
    breaks: ['files/view-range'],
    tamper: () => (effects, input) =>
      effects.map((effect) => {
        const isUpload = effect.kind === 'reply' && effect.body instanceof Uint8Array
        if (!isUpload || input.kind !== 'request' || !view.test(`GET ${input.target}`))
          return effect
        const { file: _, ...rest } = effect
        return rest
      }),
  },
  'every-picture-is-png': {
    breaks: ['files/view-headers'],
    tamper: onReply(view, ({ headers }) => ({
      headers: mapped(headers, (value) =>
        String(value).replace(/image\/(jpeg|webp|gif)/, 'image/png'),
      ),
    })),
  },
  'attachment-names-the-folder': {
    breaks: ['files/view-headers'],
    missedBy: ['files/view-headers'],
    tamper: onReply(view, ({ headers }, { target }) => {
      const folder = /subfolder=([^&]+)/.exec(target)?.[1]
      return folder === undefined
        ? {}
        : { headers: mapped(headers, (one) => String(one).replace('="', `="${folder}/`)) }
    }),
  },
  'overwrite-is-ignored-in-folders': {
    breaks: ['files/upload-overwrite'],
    missedBy: ['files/upload-overwrite'],
    tamper: stale(/^GET \/view.*subfolder=[^&]/),
  },
  'same-bytes-are-new': { breaks: ['files/upload-renamed'], tamper: sameBytesAreNew },
  'third-of-a-name-repeats-the-second': {
    breaks: ['files/upload-renamed'],
    tamper: onUpload((reply) => ({ ...reply, name: reply.name.replace(' (2)', ' (1)') })),
  },
  'large-files-lose-their-end': {
    breaks: ['files/view'],
    tamper: onReply(view, ({ body }) =>
      body instanceof Uint8Array ? { body: body.subarray(0, 65_536) } : {},
    ),
  },
  'views-are-guessed': {
    breaks: ['files/view-guarded'],
    tamper: withoutHeader(view, 'X-Content-Type-Options'),
  },
  'views-run': {
    breaks: ['files/view-guarded'],
    tamper: onReply(view, ({ headers }) => ({
      headers: {
        ...headers,
        'Content-Disposition': String(headers['Content-Disposition']).replace('attachment; ', ''),
      },
    })),
  },
  'images-are-kept': {
    breaks: ['files/view-as-image'],
    tamper: withoutHeader(view, 'Vary'),
  },
  'images-are-downloads': {
    breaks: ['files/view-as-image'],
    tamper: onReply(view, ({ headers }) => ({
      headers: { ...headers, 'Content-Type': 'application/octet-stream' },
    })),
  },
}
