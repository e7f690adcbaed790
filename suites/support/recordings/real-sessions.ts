// The committed recordings, and those of real servers among them whose runs end with files or texts.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readHar, type Recording } from '../../../dist/emulator/internal.js'

export const sessionsFolder = join(import.meta.dirname, '../../../recordings/sessions')

export const realSessions = [
  'animation-and-cache',
  'image-to-image-metadata-previews',
  'texts-and-half-valid',
] as const

export const sessionFile = (name: string): string => join(sessionsFolder, `${name}.har`)

export const sessionText = (name: string): string => readFileSync(sessionFile(name), 'utf8')

export const readSession = (name: string): Recording => readHar(sessionText(name), name)
