// What runs first in the single file. The build copies the texts of these functions into it, and `open` copies its own text
// into the programs of threads: they use nothing from outside but what every program has.

/**
 * The text of the comment that is all that a function has. V8 reads a comment ten times as fast as a string, since it looks for
 * the end alone: of a text of 1.6 MB, that is a tenth of the start. A comment with `!` is one that other tools keep.
 */
export function commentIn(of) {
  const text = String(of)
  const [begin, end] = [text.indexOf('/*!') + 3, text.lastIndexOf('*/')]
  if (begin > end) throw new Error('A tool has removed the comment that holds the files.')
  return text.slice(begin, end)
}

/**
 * Opens the single file at a path. Its files are parts of a text, each deflated, in base64: `places` has the start and
 * the length of each, by name. They are inflated when somebody reads them, and compiled when somebody requires
 * them, so that a command pays for what it uses. `dist/bundle/` has all that can be required, packages too, except what Node itself has.
 */
export function open(root, places, text) {
  const builtin = (name) => process.getBuiltinModule(name)
  const { dirname, join } = builtin('node:path')
  const requireOutside = builtin('node:module').createRequire(root)
  const loaded = new Map()
  const bundleOf = (name) => `dist/bundle/${name.replace(/^\.\/|\.cjs$/g, '')}.cjs`

  function read(name) {
    const [start, length] = places[name]
    const deflated = Buffer.from(text.slice(start, start + length), 'base64')
    return builtin('node:zlib').inflateRawSync(deflated)
  }

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
    return Object.hasOwn(places, inside) ? load(inside) : requireOutside(name)
  }

  /** Threads receive the text as data: parsing it again would take longer than most pictures. */
  function program(name) {
    builtin('node:worker_threads').setEnvironmentData(root, text)
    const key = JSON.stringify(root)
    const received = `process.getBuiltinModule('node:worker_threads').getEnvironmentData(${key})`
    return `(${open.toString()})(${key}, ${JSON.stringify(places)}, ${received}).load(${JSON.stringify(name)})`
  }

  const archive = { root, names: Object.keys(places), read, load, program }
  return archive
}
