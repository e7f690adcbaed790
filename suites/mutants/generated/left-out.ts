// Faults that follow from the spec but make no mutant, and those that no case of their rules shows, as patterns of their names
// with their places.

/** What makes no server wrong, or cannot be seen in what a world sends, by the reason. */
const leftOut: Readonly<Record<string, readonly RegExp[]>> = {
  'It is about the machine of the server: any value is right.': [
    /systemStats\.(?:system|devices)\..*-is-(?:another|the-opposite|empty)/,
    /users\.migrated-is-the-opposite/,
    /rawLogs\.size\..*-is-one-more/,
  ],
  'The cases of the endpoint see an empty list there; those of other rules see its items.': [
    /submit\.node_errors(?:-is-empty|\.)/,
    /v2(?:Submit|Cancel)\.outputs(?:-is-empty|\.)/,
    /globalSubgraphs?[.-].* on hosted/,
    /assetScan\.errors-is-empty/,
    /(?:extensions|translations|workflowTemplates|nodeReplacements)-(?:is-empty|lacks)/,
  ],
  'Only a scan that stops, fails or takes seconds sends it.': [
    /assets\.seed\.(?:cancelled|error|paused|progress|resumed)\b/,
  ],
  'Only a local server with a quirk sends it.': [/notification-to-everyone/],
  'What answers is the edge, or the layer below it: no world sends it.': [
    /(?:badRequestText|preconditionFailed|rangeNotSatisfiable|expectation|socketVersion|socketKey)-/,
    /forbiddenText-/,
    /(?:(?:change|upload)Asset|assetFromHash|upload(?:Image|Mask))-bodyTooLarge-/,
    /readUserdata-is-201/,
    /webhooks\/badRequest-/,
    /gatewayMetrics-|metricsForbidden-/,
  ],
  'Its rule says that it never happens.': [/(?:webhooks|http)\/internal-.* on (?:gateway|hosted)/],
}

/** What the cases miss, by what they lack. */
const missed: Readonly<Record<string, readonly RegExp[]>> = {
  'They do not know the right value.': [
    /hostedAssets\.assets\.name-is-another/,
    /hostedFromHash-is-201-for-200/,
    /exportAssets\.status-is-another/,
    /task\.idempotency_key-is-another/,
    /experimentModels\.(?:pathIndex|size)-is-one-more/,
    /execution_error\.exception_message-is-another/,
    /v2(?:Submit|Cancel)\.queue_position-is-one-more/,
    /assets\.seed\.(?:enrich_complete|completed)\.enriched-is-one-more/,
  ],
  'They wait for the first only.': [/assets\.seed\.completed-twice/],
  'They look at another endpoint that refuses or returns the same.': [
    /modelPreview-is-201-for-200 on local/,
    /experimentModels-notFoundEmpty-/,
    /uploadMask-badRequestEmpty-/,
    /maskLayers-badRequest-/,
    /http\/badRequest-.* on hosted/,
  ],
  'They do not reach the bound, or do not remove the file.': [
    /queue\/queueFull-/,
    /(?:storageFull|fileGone|linkOfNothing)-|(?<!router-runs\/)tooLarge-/,
  ],
  'They look at the status and the body.': [/folderAsFile-lacks-Content-Type/],
}

const isIn = (lists: typeof leftOut, name: string): boolean =>
  Object.values(lists).some((patterns) => patterns.some((one) => one.test(name)))

export const isLeftOut = (name: string): boolean => isIn(leftOut, name)
export const isMissed = (name: string): boolean => isIn(missed, name)
