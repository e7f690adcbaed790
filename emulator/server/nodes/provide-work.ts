// Loads what nodes do, for whoever imports it: the first request that can lead to a run, and all who step a server themselves.

import { provide } from './loaded-work.ts'
import * as work from './scripted-work.ts'

provide(work)
