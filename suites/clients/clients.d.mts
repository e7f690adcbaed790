// What tests read of the clients.

export type Client = {
  readonly name: string
  readonly version: string
  readonly from: 'npm' | 'pypi'
  readonly driver?: string
  readonly drop?: string
  readonly needs?: Readonly<Record<string, string>>
  readonly skips?: Readonly<Record<string, string>>
}

export const clients: readonly Client[]
