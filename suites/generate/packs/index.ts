// Workflows written for these suites, in the manner of those that people export from editors with packs of nodes.

import type { Graph } from '../graphs.ts'
import { control } from './control.ts'
import { pictures } from './pictures.ts'
import { toolboxes } from './toolboxes.ts'
import { videos } from './videos.ts'

export const packWorkflows: Readonly<Record<string, Graph>> = {
  ...pictures,
  ...toolboxes,
  ...control,
  ...videos,
}
