// Wrong hosted servers that break rules of assets in the hosted API v2.

import { submit, upload, mint, asset, confused, textIn } from './paths.ts'
import { answers, onJson, onReply, onText, type Mutants } from '../tamper.ts'

export const assets: Mutants = {
  'hashes-are-of-other-bytes': {
    breaks: ['v2-assets/upload'],
    tamper: onText(upload, /"blake3:../, '"blake3:00'),
  },
  'known-bytes-are-new': { breaks: ['v2-assets/known-bytes'], tamper: confused(upload, 200, 201) },
  'expected-hashes-are-ignored': {
    breaks: ['v2-assets/expected-hash'],
    tamper: confused(upload, 409, 201),
  },
  'forms-are-anything': {
    breaks: ['v2-assets/file-last', 'v2-assets/form'],
    tamper: confused(upload, 422, 201),
  },
  'every-hash-is-known': {
    breaks: ['v2-assets/by-hash', 'v2-assets/expected-hash', 'v2-assets/foreign'],
    tamper: answers(/^HEAD \/api\/v2\/assets/, 200),
  },
  'each-mint-is-new': { breaks: ['v2-assets/from-hash'], tamper: confused(mint, 200, 201) },
  'unknown-hashes-are-200': {
    breaks: ['v2-assets/unknown-hash'],
    tamper: confused(mint, 404, 200),
  },
  'reads-lose-the-path': {
    breaks: ['v2-assets/read'],
    tamper: onJson(asset, (body) => ({ ...body, file_path: null })),
  },
  'addresses-never-expire': {
    breaks: ['v2-assets/address'],
    tamper: onText(asset, /"url_expires_at":"\d{4}/, '"url_expires_at":"9999'),
  },
  'content-is-inline': {
    breaks: ['v2-assets/content'],
    tamper: confused(/\/content$/, 302, 200),
  },
  'content-leads-nowhere': {
    breaks: ['v2-assets/range', 'v2-assets/content'],
    tamper: answers(/\/content$/, 302),
  },
  'deleted-is-200': { breaks: ['v2-assets/delete'], tamper: confused(/^DELETE /, 204, 200) },
  'nothing-expires': {
    breaks: ['v2-assets/lifetime'],
    tamper: onJson(upload, (body) => ({ ...body, expires_at: null })),
  },
  'outputs-have-no-job': {
    breaks: ['v2-assets/outputs'],
    tamper: onJson(asset, (body) => ({ ...body, job_id: null })),
  },
  'large-outputs-have-a-size': {
    breaks: ['v2-assets/large-outputs'],
    tamper: onText(/\/v2\/(jobs|assets)\//, '"size_bytes":0', '"size_bytes":7'),
  },
  'references-stay': {
    breaks: ['v2-assets/reference'],
    tamper: onJson(/\/workflow$/, (body) => ({ ...body, workflow: { '1': { inputs: {} } } })),
  },
  'missing-assets-are-invalid': {
    breaks: ['v2-assets/missing-reference'],
    tamper: onText(submit, '"missing_asset"', '"invalid_workflow"'),
  },
  'foreign-assets-are-forbidden': {
    breaks: ['v2-assets/foreign'],
    tamper: () => {
      const known = new Set<string>()
      return onReply(/\/v2\/assets/, ({ status, body }, { target }) => {
        const id = /"id":"([^"]+)"/.exec(textIn(body))?.[1]
        if (id !== undefined) known.add(id)
        return status === 404 && [...known].some((one) => target.includes(one))
          ? { status: 403 }
          : {}
      })()
    },
  },
}
