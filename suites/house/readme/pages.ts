// The pages that people read, and what they are made of: blocks of commands, transcripts, programs and data.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

/** The files of the repository. */
export const files: readonly string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard'],
  { cwd: root, encoding: 'utf8' },
).split('\n')

export type Page = { readonly file: string; readonly text: string }

export type Block = {
  /** What follows the fence: sh, console, ts, py, yaml. */
  readonly language: string
  readonly text: string
  /** The paragraph before it. */
  readonly before: string
}

export const pageOf = (file: string): Page => ({
  file,
  text: readFileSync(join(root, file), 'utf8'),
})

/** Each README and the skill of assistants, but not the README of the Python package: suites/python runs its programs. */
export const readmes: readonly Page[] = files
  .filter((file) => /(^|\/)(README|SKILL)\.md$/.test(file) && file !== 'emulator/python/README.md')
  .map(pageOf)

const fence = /(?:^|\n\n)([^\n](?:[^\n]|\n(?!\n))*)\n\n```(\w*)\n([\s\S]*?)^```$/gm

export const blocksOf = ({ text }: Page): readonly Block[] =>
  [...text.matchAll(fence)].map(([, before = '', language = '', block = '']) => ({
    language,
    before,
    text: block,
  }))

/** All blocks in one of these languages, each with its page. */
export const blocksIn = (...languages: readonly string[]): readonly (Block & { page: Page })[] =>
  readmes.flatMap((page) =>
    blocksOf(page).flatMap((block) =>
      languages.includes(block.language) ? [{ ...block, page }] : [],
    ),
  )

/** The lines of a block of commands, without their comments. */
export const linesOf = ({ text }: Pick<Block, 'text'>): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/ +# .*$/, ''))
    .filter((line) => line !== '')
