// The real server that FLOWDOUBLE_REAL_SERVER names, for `npm run test:real`. It should be fresh, have the node types that
// need no model, and be used by nobody else.

import { servers } from '../../spec/truth/servers.ts'

/** Its address; empty without one. */
export const realServer = (process.env['FLOWDOUBLE_REAL_SERVER'] ?? '').replace(/\/+$/, '')

/** The named server that it is like, such as `comfyui-0.27` for version 0.27.0. */
export async function realName(): Promise<string> {
  const { system }: any = await (await fetch(`${realServer}/system_stats`)).json()
  const version: string = system.comfyui_version
  const name = Object.keys(servers).find((one) => `comfyui-${version}.`.startsWith(`${one}.`))
  if (name === undefined) throw new Error(`No named server is like ComfyUI ${version}.`)
  return name
}
