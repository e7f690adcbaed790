// Makes endpoints, by their method: each of its path, where it exists, and the rest.

import type { Endpoint, Place } from './language.ts'

const made =
  <const Method extends Endpoint['method']>(method: Method) =>
  <
    const Path extends string,
    const On extends readonly Place[],
    const Rest extends Omit<Endpoint, 'method' | 'path' | 'on'>,
  >(
    path: Path,
    on: On,
    rest: Rest,
  ) => ({ method, path, on, ...rest })

export const get = /* @__PURE__ */ made('GET')
export const head = /* @__PURE__ */ made('HEAD')
export const post = /* @__PURE__ */ made('POST')
export const put = /* @__PURE__ */ made('PUT')
export const patch = /* @__PURE__ */ made('PATCH')
export const remove = /* @__PURE__ */ made('DELETE')
