// Seeded sessions of two clients: invariants that hold in each of them, whatever the server did before.

import * as files from '../../check/sessions/invariants/files.ts'
import * as history from '../../check/sessions/invariants/history.ts'
import * as messages from '../../check/sessions/invariants/messages.ts'
import * as queue from '../../check/sessions/invariants/queue.ts'
import * as receivers from '../../check/sessions/invariants/receivers.ts'
import { inSessions } from '../../check/sessions/judge-sessions.ts'
import { proves } from '../../judge/proves.ts'

// Messages: they come first, as what a socket may not receive ends the case that plays the sessions.
proves('messages/json-text', inSessions(messages.fitsSchema))
proves('messages/type-first', inSessions(messages.typeComesFirst))
proves('messages/progress-state', inSessions(messages.progressIsOwn))
proves(
  ['messages/order', 'messages/execution-start', 'messages/execution-cached'],
  inSessions(messages.followsOrder),
)
proves(
  ['messages/success', 'messages/error', 'messages/interrupted', 'queue/interrupt'],
  inSessions(messages.endsOnce),
)
proves(
  ['messages/executing-null', 'messages/executing-null-last'],
  inSessions(messages.endsWithNull),
)
proves(
  ['messages/executing', 'runs/sources-first', 'workflows/partial-targets', 'workflows/half-valid'],
  inSessions(messages.runsWhatIsNeeded),
)
proves(
  ['runs/unchanged-is-cached', 'messages/execution-cached'],
  inSessions(messages.cachesTheLast),
)
proves(['messages/executed', 'messages/executed-cached'], inSessions(messages.showsOutputs))
proves('messages/progress-state', inSessions(messages.progressIsComplete))
proves('messages/timestamps', inSessions(messages.timesIncrease))
proves(
  ['messages/error', 'messages/error-details', 'runs/failure-ends'],
  inSessions(messages.failureIsNamed),
)
proves(
  ['messages/notification', 'messages/hosted-one-notification'],
  inSessions(messages.notifiesOnce),
)

// Who receives what.
proves(['messages/own-client', 'messages/no-client'], inSessions(receivers.onlyOwnClient))
proves('messages/no-client', inSessions(receivers.nobodysProgress))
proves('messages/hosted-all-connections', inSessions(receivers.allReceive))
proves('messages/status-to-everyone', inSessions(receivers.statusToAll))
proves(
  ['messages/hosted-all-connections', 'messages/hosted-status'],
  inSessions(receivers.statusToAll),
)
proves('messages/status-of-a-run', inSessions(receivers.statusOfRuns))
proves('messages/status', inSessions(receivers.statusAtRest))
proves(['messages/status', 'messages/own-client'], inSessions(receivers.statusCountsAll))
proves(['messages/status-on-connect', 'messages/sid'], inSessions(receivers.beginsWithSid))
proves(['messages/status-on-connect', 'messages/hosted-sid'], inSessions(receivers.beginsWithSid))
proves('messages/older-socket', inSessions(receivers.olderIsSilent))
proves(['messages/newest-socket', 'messages/disconnect'], inSessions(receivers.newestReceives))
proves('messages/reconnect', inSessions(receivers.reconnectIsTold))

// The history.
proves(['history/kept', 'history/by-id'], inSessions(history.keepsEach))
proves(['history/by-id', 'history/prompt', 'history/status-words'], inSessions(history.entryFits))
proves(
  ['history/status-words', 'history/error-comes-first', 'history/failed-not-completed'],
  inSessions(history.statusFits),
)
proves(['history/outputs', 'history/outputs-of-failed'], inSessions(history.outputsFit))
proves(['history/kept', 'history/outputs'], inSessions(history.outputsAreWhole))
proves('history/messages', inSessions(history.messagesFit))
proves(['history/prompt', 'workflows/extra-data-kept'], inSessions(history.promptFits))
proves('history/meta', inSessions(history.metaFits))
proves('history/oldest-first', inSessions(history.listedInOrder))
proves('queue/removed-leaves-nothing', inSessions(history.removedLeaveNothing))
proves(['history/hosted-by-id', 'history/hosted-two-ways'], inSessions(history.keepsEach))
proves('history/hosted-by-id', inSessions(history.outputsAreWhole))

// Submits and the queue.
proves(
  [
    'workflows/submit-queues',
    'workflows/reply',
    'workflows/invalid-is-400',
    'workflows/invalid-names-nodes',
  ],
  inSessions(queue.repliesFit),
)
proves('workflows/prompt-id-made', inSessions(queue.idsDiffer))
proves('workflows/number-counts', inSessions(queue.numbersGrow))
proves('workflows/hosted-number', inSessions(queue.numbersGrow))
proves(['queue/item', 'workflows/graph-by-id'], inSessions(queue.itemsFit))
proves('queue/listing', inSessions(queue.listsTheOpen))
proves(['queue/listing', 'queue/running-is-spared'], inSessions(queue.listsTheRunning))
proves('queue/by-number', inSessions(queue.listedByNumber))
proves('queue/by-number', inSessions(queue.runInOrder))
proves('queue/delete', inSessions(queue.deletedAreGone))
proves(['queue/delete', 'queue/interrupt'], inSessions(queue.changesAreAnswered))

// Files.
proves('files/entry', inSessions(files.filesAreReadable))
proves(['files/view', 'files/preview-is-temp'], inSessions(files.filesAreComplete))
proves('files/saved-name', inSessions(files.namesDiffer))
proves(['files/upload', 'files/upload-subfolder'], inSessions(files.uploadsReturn))
