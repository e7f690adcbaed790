// Generated workflows of nodes that need no model, compared with what a model of these nodes predicts.

import { proves } from '../../judge/proves.ts'
import { playWorkflows } from '../../judge/nodes/generated.ts'

proves('nodes/together', playWorkflows)
proves('nodes/hosted-same', playWorkflows)
