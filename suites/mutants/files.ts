// Wrong servers that mishandle files: uploads, views and outputs.

import { answers, type Mutants, onData, onJson, onReply, onText, stale, without } from './tamper.ts'

const onUpload = (change: (reply: any) => unknown) => onJson(/^POST \/upload\/image/, change)

/** Changes the viewed pictures, as the recipes that leave the world. */
const onPicture = (change: (file: any) => unknown) =>
  onReply(/^GET \/view/, ({ body }) =>
    typeof body === 'object' && 'picture' in body ? { body: change(body) as typeof body } : {},
  )

/** Puts the folder of each file entry into its name. */
const joined = (text: string): string =>
  text.replace(/"filename":"(.*?)","subfolder":"(.*?)"/g, '"filename":"$2/$1","subfolder":""')

export const files: Mutants = {
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
  'upload-is-created': {
    breaks: ['files/upload'],
    tamper: onReply(/^POST \/upload\/image/, ({ status }) => ({
      status: status === 200 ? 201 : status,
    })),
  },
  'upload-reply-lacks-folder': {
    breaks: ['files/upload-reply', 'files/upload-subfolder'],
    tamper: onUpload((reply) => without(reply, 'subfolder')),
  },
  'upload-reply-is-a-text': {
    breaks: ['files/upload-reply'],
    tamper: onReply(/^POST \/upload\/image/, ({ headers }) => ({
      headers: { ...headers, 'Content-Type': 'text/plain' },
    })),
  },
  'upload-reply-of-another-type': {
    breaks: ['files/upload-reply', 'files/upload-subfolder'],
    tamper: onUpload((reply) => ({ ...reply, type: 'output' })),
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
  'bad-upload-is-422': {
    breaks: ['files/upload-bad'],
    tamper: onReply(/^POST \/upload\/image/, ({ status }) => ({
      status: status === 400 ? 422 : status,
    })),
  },
  'view-ignores-subfolder': {
    breaks: ['files/view', 'files/upload-subfolder'],
    tamper: answers(/^GET \/view.*subfolder=(deep%2Fer|a%2Fb)/, 404),
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
  'view-missing-is-empty': {
    breaks: ['files/view-missing'],
    tamper: answers(/^GET \/view.*none/, 200),
  },
  'view-outside-is-404': {
    breaks: ['files/view-bad-name'],
    tamper: onReply(/^GET \/view/, ({ status }) => ({ status: status === 403 ? 404 : status })),
  },
  'entry-is-a-path': {
    breaks: ['files/entry', 'files/saved-name'],
    tamper: onJson(/^GET \/history/, (entries) => JSON.parse(joined(JSON.stringify(entries)))),
  },
  'entry-unsaid': {
    breaks: ['files/entry'],
    tamper: onData('executed', (data) => ({ ...data, output: {} })),
  },
  'saved-from-zero': {
    breaks: ['files/saved-name', 'files/entry'],
    tamper: onText(/^GET \/history/, /_00001_/g, '_00000_'),
  },
  'animation-is-still': {
    breaks: ['files/animation-frames', 'files/animation-text', 'files/animation-pixels'],
    tamper: onPicture(({ animation: _, ...still }) => still),
  },
  'loaded-keeps-alpha': {
    breaks: ['files/loaded-alpha', 'files/loaded-mask'],
    tamper: onPicture((file) =>
      file.picture.kind === 'channel' ? { ...file, picture: file.picture.of } : file,
    ),
  },
  'fingerprints-stay-inside': {
    breaks: ['files/is-changed', 'files/is-changed-of-own'],
    tamper: onPicture((file) => ({ ...file, text: [['prompt', '{"load": {}}']] })),
  },
  'preview-is-output': {
    breaks: ['files/preview-is-temp'],
    tamper: onText(/^GET \/history/, /"temp"/g, '"output"'),
  },
  'videos-as-video': {
    breaks: ['files/local-videos', 'files/samples'],
    tamper: onText(/^GET \/history/, '"videos"', '"video"'),
  },
  'videos-under-images': {
    breaks: ['files/local-videos'],
    options: { quirk: ['local.video-under-images'] },
  },
  'mask-is-lost': {
    breaks: ['files/mask', 'files/mask-original', 'files/mask-alpha'],
    tamper: answers(/^GET \/view.*filename=[mn]\.png/, 404),
  },
  'mask-reply-lacks-type': {
    breaks: ['files/mask'],
    tamper: onJson(/^POST \/upload\/mask/, (reply) => without(reply, 'type')),
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
  'undecodable-is-400': {
    breaks: ['files/view-undecodable'],
    tamper: onReply(/^GET \/view/, ({ status }) => ({ status: status === 500 ? 400 : status })),
  },
}
