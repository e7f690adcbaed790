// Each command of the page about checks does what it says.

import { pageOf } from './pages.ts'
import { judgingPage, typesCommands } from './typed-commands.ts'

typesCommands([pageOf(judgingPage)])
