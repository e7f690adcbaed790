// Path patterns: `*` stands for one segment, `**` for any number of them.

const patterns = new Map<string, RegExp>()
const MAX_PATTERNS = 1000

/** Whether a path matches a pattern. Both may have the prefix /api. */
export function matchesPath(pattern: string, path: string): boolean {
  let compiled = patterns.get(pattern)
  if (compiled === undefined) {
    compiled = compile(withoutPrefix(pattern))
    if (patterns.size >= MAX_PATTERNS) patterns.clear()
    patterns.set(pattern, compiled)
  }
  return compiled.test(withoutPrefix(path))
}

/** A path as it is without the prefix /api. */
export const withoutPrefix = (path: string): string => path.replace(/^\/api(?=\/|$)/, '')

/** The regular expressions of the parts of a pattern with stars. */
const stars: Readonly<Record<string, string>> = { '/**': '(?:/.*)?', '/*': '/[^/]+', '*': '[^/]*' }

function compile(pattern: string): RegExp {
  const parts = pattern
    .split(/(\/\*\*(?=\/|$)|\/\*(?=\/|$)|\*)/)
    .map((part) => stars[part] ?? part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
  return new RegExp(`^${parts.join('')}$`)
}
