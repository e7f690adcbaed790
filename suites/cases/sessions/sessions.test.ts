// Seeded sessions of two clients: invariants that hold in each of them, whatever the server did before.

import * as files from '../../check/sessions/invariants/files.ts'
import * as history from '../../check/sessions/invariants/history.ts'
import * as messages from '../../check/sessions/invariants/messages.ts'
import * as queue from '../../check/sessions/invariants/queue.ts'
import * as receivers from '../../check/sessions/invariants/receivers.ts'
import { inSessions } from '../../check/sessions/judge-sessions.ts'
import { proves, sharedWorld } from '../../judge/proves.ts'

// Messages: they come first, as what a socket may not receive ends the case that plays the sessions.
proves('messages/json-text', inSessions(messages.fitsSchema), sharedWorld)
proves('messages/type-first', inSessions(messages.typeComesFirst), sharedWorld)
proves('messages/progress-state', inSessions(messages.progressIsOwn), sharedWorld)
proves(
  ['messages/order', 'messages/execution-start', 'messages/execution-cached'],
  inSessions(messages.followsOrder),
  sharedWorld,
)
proves(
  ['messages/success', 'messages/error', 'messages/interrupted', 'queue/interrupt'],
  inSessions(messages.endsOnce),
  sharedWorld,
)
proves(
  ['messages/executing-null', 'messages/executing-null-last'],
  inSessions(messages.endsWithNull),
  sharedWorld,
)
proves(
  ['messages/executing', 'runs/sources-first', 'workflows/partial-targets', 'workflows/half-valid'],
  inSessions(messages.runsWhatIsNeeded),
  sharedWorld,
)
proves(
  ['runs/unchanged-is-cached', 'messages/execution-cached'],
  inSessions(messages.cachesTheLast),
  sharedWorld,
)
proves(
  ['messages/executed', 'messages/executed-cached'],
  inSessions(messages.showsOutputs),
  sharedWorld,
)
proves('messages/progress-state', inSessions(messages.progressIsComplete), sharedWorld)
proves('messages/timestamps', inSessions(messages.timesIncrease), sharedWorld)
proves(
  ['messages/error', 'messages/error-details', 'runs/failure-ends'],
  inSessions(messages.failureIsNamed),
  sharedWorld,
)
proves(
  ['messages/notification', 'messages/hosted-one-notification'],
  inSessions(messages.notifiesOnce),
  sharedWorld,
)

// Who receives what.
proves(
  ['messages/own-client', 'messages/no-client'],
  inSessions(receivers.onlyOwnClient),
  sharedWorld,
)
proves('messages/no-client', inSessions(receivers.nobodysProgress), sharedWorld)
proves('messages/hosted-all-connections', inSessions(receivers.allReceive), sharedWorld)
proves('messages/status-to-everyone', inSessions(receivers.statusToAll), sharedWorld)
proves(
  ['messages/hosted-all-connections', 'messages/hosted-status'],
  inSessions(receivers.statusToAll),
  sharedWorld,
)
proves('messages/status-of-a-run', inSessions(receivers.statusOfRuns), sharedWorld)
proves('messages/status', inSessions(receivers.statusAtRest), sharedWorld)
proves(
  ['messages/status', 'messages/own-client'],
  inSessions(receivers.statusCountsAll),
  sharedWorld,
)
proves(
  ['messages/status-on-connect', 'messages/sid'],
  inSessions(receivers.beginsWithSid),
  sharedWorld,
)
proves(
  ['messages/status-on-connect', 'messages/hosted-sid'],
  inSessions(receivers.beginsWithSid),
  sharedWorld,
)
proves('messages/older-socket', inSessions(receivers.olderIsSilent), sharedWorld)
proves(
  ['messages/newest-socket', 'messages/disconnect'],
  inSessions(receivers.newestReceives),
  sharedWorld,
)
proves('messages/reconnect', inSessions(receivers.reconnectIsTold), sharedWorld)

// The history.
proves(['history/kept', 'history/by-id'], inSessions(history.keepsEach), sharedWorld)
proves(
  ['history/by-id', 'history/prompt', 'history/status-words'],
  inSessions(history.entryFits),
  sharedWorld,
)
proves(
  ['history/status-words', 'history/error-comes-first', 'history/failed-not-completed'],
  inSessions(history.statusFits),
  sharedWorld,
)
proves(
  ['history/outputs', 'history/outputs-of-failed'],
  inSessions(history.outputsFit),
  sharedWorld,
)
proves(['history/kept', 'history/outputs'], inSessions(history.outputsAreWhole), sharedWorld)
proves('history/messages', inSessions(history.messagesFit), sharedWorld)
proves(['history/prompt', 'workflows/extra-data-kept'], inSessions(history.promptFits), sharedWorld)
proves('history/meta', inSessions(history.metaFits), sharedWorld)
proves('history/oldest-first', inSessions(history.listedInOrder), sharedWorld)
proves('queue/removed-leaves-nothing', inSessions(history.removedLeaveNothing), sharedWorld)
proves(
  ['history/hosted-by-id', 'history/hosted-two-ways'],
  inSessions(history.keepsEach),
  sharedWorld,
)
proves('history/hosted-by-id', inSessions(history.outputsAreWhole), sharedWorld)

// Submits and the queue.
proves(
  [
    'workflows/submit-queues',
    'workflows/reply',
    'workflows/invalid-is-400',
    'workflows/invalid-names-nodes',
  ],
  inSessions(queue.repliesFit),
  sharedWorld,
)
proves('workflows/prompt-id-made', inSessions(queue.idsDiffer), sharedWorld)
proves('workflows/number-counts', inSessions(queue.numbersGrow), sharedWorld)
proves('workflows/hosted-number', inSessions(queue.numbersGrow), sharedWorld)
proves(['queue/item', 'workflows/graph-by-id'], inSessions(queue.itemsFit), sharedWorld)
proves('queue/listing', inSessions(queue.listsTheOpen), sharedWorld)
proves(['queue/listing', 'queue/running-is-spared'], inSessions(queue.listsTheRunning), sharedWorld)
proves('queue/by-number', inSessions(queue.listedByNumber), sharedWorld)
proves('queue/by-number', inSessions(queue.runInOrder), sharedWorld)
proves('queue/delete', inSessions(queue.deletedAreGone), sharedWorld)
proves(['queue/delete', 'queue/interrupt'], inSessions(queue.changesAreAnswered), sharedWorld)

// Files.
proves('files/entry', inSessions(files.filesAreReadable), sharedWorld)
proves(['files/view', 'files/preview-is-temp'], inSessions(files.filesAreComplete), sharedWorld)
proves('files/saved-name', inSessions(files.namesDiffer), sharedWorld)
proves(['files/upload', 'files/upload-subfolder'], inSessions(files.uploadsReturn), sharedWorld)
