// The version of the package, generated from package.json, so that a browser and a single file know it too.

export const version = '0.1.0'
