// Generated workflows of nodes that need no model, compared with what a model of these nodes predicts.

import { playWorkflows } from '../../judge/nodes/play.ts'
import { proves } from '../../judge/proves.ts'

proves('nodes/together', playWorkflows)
proves('nodes/hosted-same', playWorkflows)
