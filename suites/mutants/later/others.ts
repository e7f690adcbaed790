// Wrong servers that mishandle what only servers of 2026 do, apart from jobs and assets.

import { answers, mapped, type Mutants, onJson, onReply, onText, without } from '../tamper.ts'

const userFile = /^GET \/userdata\//
const view = /^GET \/view/

const withoutHeader = (asked: RegExp, name: string) =>
  onReply(asked, ({ headers }) => ({ headers: without(headers, name) }))

export const laterUserdata: Mutants = {
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
  'moves-outside-crash': {
    breaks: ['userdata/never-outside'],
    tamper: onReply(/\/move\//, ({ status }) => ({ status: status === 403 ? 500 : status })),
  },
}

export const laterSystem: Mutants = {
  'flags-of-before': {
    breaks: ['system/feature-flags', 'system/own-flags'],
    tamper: onJson(/^GET \/features/, (flags) => without(flags, 'extension')),
  },
  'assets-are-announced': {
    breaks: ['system/feature-flags'],
    tamper: onJson(/^GET \/features/, (flags) => ({ ...flags, assets: flags.assets !== true })),
  },
  'flags-are-values': {
    breaks: ['system/own-flags'],
    tamper: onText(/^GET \/features/, '"bare": "true"', '"bare": true'),
  },
}

export const laterWorkflows: Mutants = {
  'replaced-in-silence': {
    breaks: ['workflows/replaced'],
    tamper: onText(/^GET \/history/, /ControlNetLoader/g, 'T2IAdapterLoader'),
  },
  'lacking-input-is-400': {
    breaks: ['workflows/replaced-without-input'],
    tamper: onReply(/^POST \/prompt/, ({ status }) => ({ status: status === 500 ? 400 : status })),
  },
}

export const laterSettings: Mutants = {
  'blank-users-crash': { breaks: ['settings/user-names'], tamper: answers(/^POST \/users/, 500) },
  'system-users': {
    breaks: ['settings/user-names'],
    tamper: onText(/^POST \/users/, 'System User prefix not allowed', 'username not provided'),
  },
}

export const laterCatalog: Mutants = {
  'folders-without-extensions': {
    breaks: ['catalog/experiment-extensions'],
    tamper: onJson(/^GET \/experiment\/models$/, (folders: any[]) =>
      folders.map((folder) => without(folder, 'extensions')),
    ),
  },
  'folders-of-before': {
    breaks: ['catalog/more-folders', 'catalog/dataset-folder', 'catalog/newest-folders'],
    tamper: onJson(/^GET \/models$/, (names: string[]) =>
      names.slice(0, 20).filter((name) => name !== 'datasets'),
    ),
  },
  'replacements-under-new-names': {
    breaks: ['catalog/replacements'],
    tamper: onJson(/^GET \/node_replacements/, (found) =>
      Object.fromEntries(
        Object.values(found).map((list: any) => [list[0].new_node_id, list] as const),
      ),
    ),
  },
  'subgraphs-with-data': {
    breaks: ['catalog/subgraphs', 'scenario/start-subgraphs'],
    tamper: onJson(/^GET \/global_subgraphs$/, (found) =>
      mapped(found, (one) => ({ ...one, data: '{}' })),
    ),
  },
  'unknown-subgraph-is-404': {
    breaks: ['catalog/subgraph'],
    tamper: onReply(/^GET \/global_subgraphs\//, ({ body }) => ({
      status: body === 'null' ? 404 : 200,
    })),
  },
  'pages-for-all': { breaks: ['catalog/node-page'], tamper: answers(/^GET \/docs\//, 200) },
  'previews-crash': {
    breaks: ['catalog/model-preview-refusals'],
    tamper: onReply(/\/preview\//, ({ status }) => ({ status: status === 400 ? 500 : status })),
  },
}

export const laterFiles: Mutants = {
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

export const laterHttp: Mutants = {
  'scripts-are-kept': {
    breaks: ['http/no-store', 'http/no-store-modules'],
    tamper: onReply(/\.(js|mjs|css|json)$/, ({ headers }) => ({
      headers: { ...headers, 'Cache-Control': 'no-cache' },
    })),
  },
}

export const laterInternal: Mutants = {
  'files-without-folder': {
    breaks: ['internal/files-annotated'],
    tamper: onText(/^GET \/internal\/files/, / \[\w+\]/g, ''),
  },
}
