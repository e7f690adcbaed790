// What tests need to install foreign packages.

/** One package, and what is installed beside it: as `name@version` of npm, or as `name==version` of PyPI. */
type Packages = {
  readonly from: 'npm' | 'pypi'
  readonly name: string
  readonly version: string
  readonly with?: readonly string[]
  readonly python?: string
}

/** Resolves to the folder in which they are installed; rejects with the reason of the installer. */
export function install(client: Packages, cache: string): Promise<string>

/** Why this machine cannot run them at all, or undefined. */
export function unfitFor(client: Packages): Promise<string | undefined>
