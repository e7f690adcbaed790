// Wrong servers that list the wrong node types, models and packs.

import { mapped, type Mutants, onJson, onReply, onText, stale, without } from '../tamper.ts'

export const catalog: Mutants = {
  'packs-of-others': {
    breaks: ['catalog/no-packs'],
    tamper: onJson(/^GET \/extensions/, () => ['/extensions/others/index.js']),
  },
  'types-round-numbers': {
    breaks: ['catalog/node-types'],
    tamper: onText(/^GET \/object_info$/, /18446744073709551615/g, '18446744073709552000'),
  },
  'one-type-bare': {
    breaks: ['catalog/one-node-type'],
    tamper: onJson(/^GET \/object_info\//, (types) => Object.values(types)[0]),
  },
  'one-type-is-more': {
    breaks: ['catalog/one-node-type', 'catalog/unknown-node-type'],
    tamper: onJson(/^GET \/object_info\//, (types) => ({ ...types, SaveImage: {} })),
  },
  'output-nodes-unmarked': {
    breaks: ['catalog/node-type-fields'],
    tamper: onText(/^GET \/object_info$/, /"output_node": true/g, '"output_node": false'),
  },
  'folders-as-objects': {
    breaks: ['catalog/model-folders'],
    tamper: onJson(/^GET \/models$/, (folders: string[]) => folders.map((name) => ({ name }))),
  },
  'models-as-objects': {
    breaks: ['catalog/models'],
    tamper: onJson(/^GET \/models\//, (models: string[]) => models.map((name) => ({ name }))),
  },
  'uploads-unlisted': {
    breaks: ['catalog/uploads-are-options'],
    tamper: stale(/^GET \/object_info\/LoadImage$/),
  },
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
  'values-of-scenarios-unlisted': {
    breaks: ['scenario/start-values'],
    tamper: onText(/^GET \/object_info\/KSampler$/, /, "mine"\]/, ']'),
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
  'types-without-aliases': {
    breaks: ['catalog/later-members', 'catalog/new-style-members'],
    tamper: onJson(/^GET \/object_info$/, (types) =>
      Object.fromEntries(
        Object.entries(types).map(([name, type]) => [name, without(type, 'search_aliases')]),
      ),
    ),
  },
  'types-without-badges': {
    breaks: ['catalog/new-style-members'],
    tamper: onJson(/^GET \/object_info$/, (types) =>
      Object.fromEntries(
        Object.entries<any>(types).map(([name, type]) => [
          name,
          'price_badge' in type ? without(type, 'dev_only') : type,
        ]),
      ),
    ),
  },
  'models-list-more': {
    breaks: ['catalog/hosted-models'],
    tamper: onText(/^GET \/api\/experiment\/models\//, /"pathIndex":0/g, '"pathIndex":0,"size":1'),
  },
  'previews-are-png': {
    breaks: ['catalog/hosted-preview'],
    tamper: onReply(/\/preview\//, ({ status }) =>
      status === 200 ? { headers: { 'Content-Type': 'image/png' } } : {},
    ),
  },
  'shares-a-template': {
    breaks: ['catalog/hosted-nothing-shared'],
    tamper: onReply(/workflow_templates/, () => ({ body: '{"mine": []}' })),
  },
}
