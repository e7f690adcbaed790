// The internals that suites use: built with the rest, not exported by the package. Suites import this file only.

// oxlint-disable-next-line import/no-unassigned-import -- suites and the bench step a server immediately, as a replay does.
import './server/local/provide-on-demand.ts'

export { completionCommand } from './cli/completion/completion.ts'
export { checkCommand } from './cli/check/check.ts'
export { shrinkCommand } from './cli/check/shrink.ts'
export { explainCommand } from './cli/explain.ts'
export { gatewayCommand } from './cli/gateway/gateway.ts'
export type { StartGateway } from './cli/gateway/gateway-run.ts'
export { learnCommand, typesOfWorlds } from './cli/recordings/learn.ts'
export { quirksCommand } from './cli/lists/quirks.ts'
export { replayCommand } from './cli/recordings/replay.ts'
export { recordCommand } from './cli/recordings/record.ts'
export { rulesCommand } from './cli/rules.ts'
export { runCommand } from './cli/run.ts'
export { scenariosCommand } from './cli/lists/scenarios.ts'
export { lintCommand } from './cli/lint.ts'
export { typesCommand } from './cli/types.ts'
export { validateCommand } from './cli/validate.ts'
export { serveCommand } from './cli/serve.ts'
export { banner, nextStep } from './cli/serve-display.ts'
export { createRecordReader, openLog } from './cli/serve-log.ts'
export type { CommandIo } from './cli/lib/io.ts'
export { annotationText, sarifPlace, sarifText } from './cli/lib/ci-formats.ts'
export { variableOf, withVariables } from './cli/lib/variables.ts'
export { bareFlags, readFlags, serveFlags } from './cli/serve-flags.ts'
export { checkGatewayFlags, startBeside } from './cli/serve-gateway.ts'
export { planServers } from './cli/serve-plan.ts'
export { webhookCommand } from './cli/gateway/webhook.ts'

export { type RunEvent, type RunOptions, type RunResult, runWorkflow } from './client/run.ts'
export { unreachable } from './client/server.ts'
export { signPost, signedHeaders } from './client/sign.ts'
export { builtInSchemes } from './gateway/post/schemes.ts'

export { createReplay, replayMachine } from './recording/replay/machine.ts'
export { readHar } from './recording/read-har.ts'
export {
  identitiesOf,
  pairs,
  replaceFrame,
  replaceTarget,
  replaceText,
} from './recording/identities.ts'

export { withLock } from './config/lock.ts'
export { scenarioNames } from './config/scenario-files.ts'
export { startOfProcess } from './config/processes.ts'
export { accountsSchema, readAccounts } from './options/accounts.ts'
export { completeOptions, configSchema, worldOptions } from './options/complete.ts'
export { failuresSchema, readFailures } from './options/failures.ts'
export { completeGatewayOptions, stateOptions } from './options/gateway.ts'
export { fits, violations } from './options/json-schema.ts'
export { scenarioDocument, scenarioFileSchema } from './options/scenario-schema.ts'
export { defaults } from './options/server-options.ts'
export { optionTable } from './options/table.ts'

export type { ClockGroup } from './edge/clock-handle.ts'
export { commandAgent, urlAgent } from './edge/gateway/agent.ts'
export { senderDeliveries, urlDeliveries } from './edge/gateway/senders.ts'
export { resetConnection } from './edge/node/broken-connections.ts'
export { createSockets } from './edge/node/sockets.ts'
export { readCatalog } from './edge/catalog.ts'
export { createCodec } from './edge/codec.ts'
export { loadHosted } from './edge/node/hosted.ts'
export { nodeTypeFiles } from './edge/node/node-types.ts'
export { readWorld, wholeFile, writeWorld } from './edge/node/saved/world-file.ts'
export { newParts, savedServer, type WorldParts } from './edge/world-parts.ts'
export { serverMachine } from './server/machine.ts'

export type { GatewayStateOptions } from './gateway/state/state.ts'
export { readFile as readSubscriptionsText } from './gateway/state/read-subscriptions.ts'
export { placeholders } from './journal/placeholders.ts'
export { learn } from './recording/learn/learn.ts'
export { partLines } from './recording/part.ts'
export { readRecording } from './recording/read-recording.ts'
export { version } from './lib/version.ts'
export { readPlain, writePlain } from './edge/worker/plain-text.ts'
export { WorldObject } from './edge/worker/world.ts'
export {
  eventsOf,
  type RecordedExchange,
  type RecordedMessage,
  type RecordedSocket,
  type Recording,
  targetOf,
} from './session/recording.ts'
export { redactRecording } from './recording/redact.ts'
export { findingText, scanRecording } from './recording/scan.ts'
export { writeHar } from './recording/write-har.ts'

export { splitText } from './gateway/deliveries/split-text.ts'
export { createReplacer } from './gateway/state/replace-texts.ts'
export { createGatewayWorld, forkGateway } from './gateway/gateway.ts'
export { nextWakeMs as nextGatewayWakeMs, step as stepGateway } from './gateway/step.ts'

export * as hosted from './server/surfaces/index.ts'
export { typeTexts } from './server/nodes/type-texts.ts'
export { createServer, forkServer } from './server/server.ts'
export { nextWakeMs, step as stepServer } from './server/step.ts'
export { encodeFrame } from './server/world/frames.ts'
export type { WorldOptions } from './server/state/options.ts'

export { createRead, Instance, printed, Tensor, valueOfOutput, valuesOf } from './compute/index.ts'
export { encodeFile, encodePicture, encodePreview } from './pictures/encode.ts'
export { decodePicture } from './pictures/codecs/decode.ts'
export { inflate, stored } from './pictures/codecs/inflate.ts'
export { probeIntact } from './pictures/codecs/intact.ts'
export { encodeJpeg } from './pictures/codecs/jpeg.ts'
export { tidyJpeg } from './pictures/codecs/jpeg-tidy.ts'
export { paint, paintPreview, type Pixels } from './pictures/paint.ts'
export type { MediaFile, Picture } from './pictures/picture.ts'
export { fill } from './pictures/pixels.ts'
export { encodePng } from './pictures/codecs/png.ts'
export { chunk, contentsOf, pngOf } from './pictures/codecs/png-chunks.ts'
export { rowBytesOf, tidyPng } from './pictures/codecs/png-tidy.ts'
export { canonicalCodes, codeLengths } from './pictures/codecs/prefix-codes.ts'
export { MOST_PIXELS, probePicture } from './pictures/codecs/probe.ts'
export { encodeWebp } from './pictures/codecs/webp.ts'
