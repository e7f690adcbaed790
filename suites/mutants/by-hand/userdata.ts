// Wrong servers that mishandle the files of users.

import { answers, type Mutants, onJson, onReply, onText, without } from '../tamper.ts'

const userFile = /^GET \/userdata\//

const withoutHeader = (asked: RegExp, name: string) =>
  onReply(asked, ({ headers }) => ({ headers: without(headers, name) }))

const jsonType = { 'Content-Type': 'application/json; charset=utf-8' }
const notFound = { status: 404, headers: jsonType, body: '{"code":"NOT_FOUND","message":"x"}' }

export const userdata: Mutants = {
  'lists-show-all': {
    breaks: ['userdata/list-hides-dots'],
    tamper: onJson(/^GET \/userdata\?/, (names) => ['.hidden', ...names]),
  },
  'write-answers-nothing': {
    breaks: ['userdata/write', 'userdata/one-segment'],
    tamper: answers(/^POST \/userdata/, 200),
  },
  'read-without-type': {
    breaks: ['userdata/read'],
    tamper: onReply(/^GET \/userdata/, ({ headers }) => ({
      headers: without(headers, 'Content-Type'),
    })),
  },
  'times-are-seconds': {
    breaks: ['userdata/whole-times'],
    tamper: onText(/\/userdata/, /("(?:modified|created)": ?)(\d+)\d{3}(?=[,}])/g, '$1$2.5'),
  },
  'files-are-shown': {
    breaks: ['userdata/download'],
    tamper: withoutHeader(userFile, 'Content-Disposition'),
  },
  'types-are-guessed': {
    breaks: ['userdata/download', 'userdata/user-style'],
    tamper: withoutHeader(userFile, 'X-Content-Type-Options'),
  },
  'style-is-a-download': {
    breaks: ['userdata/user-style'],
    tamper: onReply(userFile, ({ headers }) => ({
      headers: { ...headers, 'Content-Type': 'application/octet-stream' },
    })),
  },
  'files-list-created': {
    breaks: ['userdata/hosted-write', 'userdata/hosted-move'],
    tamper: onText(/^POST \/api\/userdata/, /\}$/, ',"created":1}'),
  },
  'file-by-its-type': {
    breaks: ['userdata/hosted-read'],
    tamper: onReply(/^GET \/api\/userdata\/[^?]*\.json/, () => ({
      headers: { 'Content-Type': 'application/json' },
    })),
  },
  'times-in-seconds': {
    breaks: ['userdata/hosted-times'],
    tamper: onText(/\/api\/userdata/, /"modified":(\d+)\d{3}/g, '"modified":$1'),
  },
  'user-data-refuses-in-json': {
    breaks: ['userdata/hosted-refusals', 'userdata/hosted-no-overwrite', 'userdata/hosted-delete'],
    tamper: onReply(/\/api\/userdata/, ({ status }) => (status < 400 ? {} : notFound)),
  },
}
