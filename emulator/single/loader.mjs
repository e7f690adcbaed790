// What runs first in the single file. The build copies the text of this function into it, and the function copies its own
// text into the programs of threads: it uses nothing from outside itself but what every program has.

/**
 * Opens the single file at a path: its files by name, each deflated, in base64. They are inflated when somebody reads them,
 * and compiled when somebody requires them, so that a command pays for what it uses. `dist/bundle/` has all that can be
 * required, packages too, except what Node itself has.
 */
export function open(root, files) {
  const builtin = (name) => process.getBuiltinModule(name)
  const { dirname, join } = builtin('node:path')
  const requireOutside = builtin('node:module').createRequire(root)
  const loaded = new Map()
  const bundleOf = (name) => `dist/bundle/${name.replace(/^\.\/|\.cjs$/g, '')}.cjs`

  const read = (name) => builtin('node:zlib').inflateRawSync(Buffer.from(files[name], 'base64'))

  function load(name) {
    const known = loaded.get(name)
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    loaded.set(name, module)
    const filename = join(root, name)
    const parts = { exports: module.exports, require, module, flowdoubleArchive: archive }
    const paths = { __filename: filename, __dirname: dirname(filename) }
    const scope = { ...parts, ...paths }
    const code = read(name).toString().replace(/^#!.*/, '')
    const run = builtin('node:vm').compileFunction(code, Object.keys(scope), { filename })
    run.call(module.exports, ...Object.values(scope))
    return module.exports
  }

  function require(name) {
    const inside = bundleOf(name)
    return Object.hasOwn(files, inside) ? load(inside) : requireOutside(name)
  }

  /** Threads receive the files as data: parsing them again would take longer than most pictures. */
  function program(name) {
    builtin('node:worker_threads').setEnvironmentData(root, files)
    const key = JSON.stringify(root)
    const received = `process.getBuiltinModule('node:worker_threads').getEnvironmentData(${key})`
    return `(${open.toString()})(${key}, ${received}).load(${JSON.stringify(name)})`
  }

  const archive = { root, names: Object.keys(files), read, load, program }
  return archive
}
