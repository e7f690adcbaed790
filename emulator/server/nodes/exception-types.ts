// The six words of hosted for failures [runs/exception-words]: their messages, and which one fits.

import {
  type ExceptionType,
  exceptionTypes,
  pythonMessages,
  pythonNames,
} from '../../../spec/server/errors.ts'

const isWord = (name: string): name is ExceptionType => Object.hasOwn(exceptionTypes, name)

/** The message of a failure by its word or its exception; for any other name, that it was planned. */
export function meaningOf(exception_type: string): string {
  if (isWord(exception_type)) return exceptionTypes[exception_type]
  const usual = Object.hasOwn(pythonMessages, exception_type)
    ? pythonMessages[exception_type]
    : undefined
  return usual ?? 'The scenario makes this node fail.'
}

/** The hosted word for a failure, whose own name may be that of a Python exception [runs/exception-words]. */
export function wordOf(exception_type: string): ExceptionType {
  if (isWord(exception_type)) return exception_type
  return /(?:OutOfMemory|^Memory)Error$|\.MemoryError$/.test(exception_type)
    ? 'OOMError'
    : 'ValidationError'
}

/** The name of a Python exception for a failure: its own, or the equivalent of a hosted word. */
export const pythonNameOf = (exception_type: string): string =>
  isWord(exception_type) ? pythonNames[exception_type] : exception_type
