// The writers of annotations and SARIF, which the command passes to its reports.

import { annotationText, sarifPlace, sarifText } from '../../dist/emulator/internal.js'

export const ciFormats = { annotationText, sarifPlace, sarifText }
