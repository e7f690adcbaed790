// Serves the files of a front end beside a world. Requests for files do not reach the world, so the journal lacks them.

import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { answerFile, type FileReply } from '../../http/conditional-requests.ts'
import { refuse, type Reply } from '../../http/replies.ts'
import { splitTarget } from '../../http/requests.ts'
import { complete } from '../../http/respond.ts'
import type { IncomingRequest } from '../../machine.ts'
import type { ServerOptions } from '../../options/server-options.ts'
import { homeHeaders } from '../../server/local/system.ts'
import { finish } from '../../server/response-headers.ts'
import type { World } from '../../server/state/world.ts'
import { writeHead } from './http.ts'
import { type Folder, openFolder, type OpenFile } from './pages/folder.ts'
import { pageType } from './pages/media-types.ts'
import { scriptsIn } from './pages/scripts.ts'

/** What a page takes from the world beside it. */
export type Beside = {
  readonly setup: World['setup']
  /** The world's time since 1970, in milliseconds. */
  readonly timeMs: number
  /** The value of the response header Server. */
  readonly name: string
}

export type Pages = {
  /** The paths of the scripts that extend the front end. */
  readonly scripts: readonly string[]
  /** Answers a request with a file. Calls back instead without one. */
  readonly answer: (
    request: IncomingRequest,
    response: ServerResponse,
    beside: Beside,
    notThere: () => void,
  ) => Promise<void>
}

/** Opens the folders of the options. Throws a usage error for one that cannot be served. */
export function openPages({ webRoot, templates }: PageOptions): Pages {
  const site = webRoot === null ? null : openFolder(webRoot, '--web-root', frontEnd)
  const examples = templates === null ? null : openFolder(templates, '--templates')
  const find: Folder = async (path) => {
    const [, below] = /^templates\/(.*)$/s.exec(path) ?? []
    const found = below === undefined ? undefined : await examples?.find(below)
    return found ?? site?.find(path)
  }
  return {
    scripts: site === null ? [] : scriptsIn(site.root),
    answer: async (request, response, beside, notThere) => {
      const path = pathOf(request)
      const found = await find(path)
      if (found === undefined) return notThere()
      if (found === 'forbidden') forbid(request, response, beside)
      else await writeFile(request, response, beside, found, path)
    },
  }
}

export type PageOptions = Pick<ServerOptions, 'webRoot' | 'templates'>

/** What makes a folder a front end, and where to get one. */
const frontEnd = {
  file: 'index.html',
  advice:
    'Get a front end with: pip install --no-deps --target ui comfyui-frontend-package==1.27.10. Its folder is ui/comfyui_frontend_package/static.',
}

const HOME = 'index.html'

/** Whether a request is for the page itself, which browsers must not keep. */
const isHome = ({ target }: IncomingRequest): boolean =>
  ['/', '/api/'].includes(splitTarget(target)[0])

/** The path of the file for a request, without the slashes at its start and end. */
const pathOf = (request: IncomingRequest): string =>
  isHome(request) ? HOME : splitTarget(request.target)[0].slice(1).replace(/\/+$/, '')

function forbid(request: IncomingRequest, response: ServerResponse, beside: Beside): void {
  const { status, headers, body } = refuse('forbiddenText')
  const text = body as string
  writeHead(response, wireReply(request, { status, headers, body: text }, beside))
  response.end(text)
}

async function writeFile(
  request: IncomingRequest,
  response: ServerResponse,
  beside: Beside,
  file: OpenFile,
  path: string,
): Promise<void> {
  try {
    const own = {
      ...(isHome(request) && homeHeaders(beside.setup)),
      'Content-Type': pageType(path),
    }
    const plain: Reply = { status: 200, headers: own, body: '' }
    const { headers } = finish(beside.setup, `/${path}`, undefined, plain)
    const facts = {
      modifiedMs: Number(file.modifiedNs / 1_000_000n),
      tag: file.modifiedNs.toString(16),
    }
    const reply = answerFile(headers, facts, partOf(file, 0, file.bytes), request.headers)
    writeHead(response, wireReply(request, reply, beside))
    if (request.method === 'HEAD' || reply.body.length === 0) response.end()
    else await reply.body.sendTo(response)
  } finally {
    await file.handle.close()
  }
}

/** A part of a file, which is read when it is sent. */
type FilePart = {
  readonly length: number
  readonly subarray: (start: number, end: number) => FilePart
  readonly sendTo: (response: ServerResponse) => Promise<void>
}

const partOf = (file: OpenFile, from: number, to: number): FilePart => ({
  length: to - from,
  subarray: (start, end) => partOf(file, from + start, from + end),
  sendTo: async (response) => {
    const stream = file.handle.createReadStream({ start: from, end: to - 1, autoClose: false })
    // A client may disconnect: the transfer ends then.
    await pipeline(stream, response, { end: false }).catch(() => response.destroy())
    // What was cut off in the meantime cannot be completed.
    if (stream.bytesRead === to - from) response.end()
    else response.destroy()
  },
})

const wireReply = <B extends { readonly length: number }>(
  { method }: IncomingRequest,
  { status, reason, headers, body }: FileReply<B>,
  { timeMs, name }: Beside,
) => complete(status, reason, headers, body, { method, takesChunks: true }, timeMs, name)
