// The wrong servers that look like a faultless one from outside, and the rules whose cases no wrong server makes fail, and why.

/** The reason by the name of the mutant. */
export const unseen: Readonly<Record<string, string | undefined>> = {
  'access/api-key-pays-partners': 'It shows in a run that costs money.',
  'runs/details-are-missing':
    'Only a node of a scenario fails with a ValidationError when it runs.',
  'runs/fails-at-submit': 'Only an account without money or subscription shows it.',
  'workflows/hosted-counts-from-one':
    'Only an account that has never run anything shows where counting begins.',
  'access/partner-nodes-are-free': 'It shows in a run that costs money.',
  'runs/scenario-is-ignored':
    'It ignores the scenario that its operator names: without one it is right.',
  'files/hosted-leak-unsaid': 'It reports no leak in its journal, which a client cannot read.',
  'files/hosted-links-are-reused': 'It shows after an hour.',
  'deliveries/agent-is-a-script':
    'It ignores the agent that its operator names: without one it is right.',
  'deliveries/agents-without-bound':
    'It ignores how many runs its agent takes at a time: the built-in agent takes all.',
  'deliveries/all-is-sent': 'It lists what it has not sent, and nobody else can be asked.',
  'deliveries/log-is-silent': 'A client cannot read the log of a gateway.',
  'deliveries/nothing-is-sent':
    'It ignores the address for deliveries that its operator names: without one it is right.',
  'deliveries/prompt-is-the-answer':
    'It ignores the agent that its operator names: without one it is right.',
  'deliveries/texts-are-sent-cut':
    'It lists the whole text: only the platform sees that another one was sent.',
  'deployments/listens-everywhere':
    'A client on the same machine reaches both at the same address.',
  'deployments/plain-http':
    'It ignores the certificate that its operator names: without one it is right.',
  'files/hosted-strict-is-not': 'It ignores an option of its operator: without that it is right.',
  'frames/long-text-is-cut': 'Only test nodes of the suites send a text that a client can choose.',
  'frames/text-in-latin-1': 'Only test nodes of the suites send a text that is not ASCII.',
  'queue/colliding-ids-are-accepted':
    'The requests that show it can stop the worker of a real server: check never sends them.',
  'local-jobs/ties-reversed': 'Only a clock that stands still makes two jobs at the same time.',
  'runs/poison-spreads':
    'The requests that show it stop the worker of a real server: check never sends them.',
  'workflows/answer-late':
    'Its message leaves together with the reply, as at a server whose worker starts immediately.',
  'signatures/global-secret-everywhere': 'Each route that a check makes names its secret.',
  'subscriptions/dynamic-wins':
    'Only a subscription with the name of a configured route shows it: that would be the work of others.',
  'subscriptions/older-files-are-left': 'A client cannot write the file of the subscriptions.',
  'webhooks/duplicates-extend-the-life-of-an-id': 'It shows after an hour.',
  'webhooks/health-shows-no-runs':
    'Runs wait only for an agent that its operator names, and takes long.',
  'webhooks/runs-start-before-the-answer':
    'A client sees the order of two connections, not that of what a gateway does.',
  'catalog/subgraphs-with-data': 'Only a server whose operator has set up subgraphs shows it.',
  'inspector/cached-nodes-run': 'Only the control API shows it, which check never asks.',
  'inspector/loses-nothing': 'Only the control API shows it, which check never asks.',
  'inspector/loses-silently': 'Only the control API shows it, which check never asks.',
  'inspector/nodes-never-end': 'Only the control API shows it, which check never asks.',
  'messages/each-due-step': 'Only a clock that is stepped shows which steps are due.',
  'pages/lists-no-scripts': 'Only a server with the front end of a case shows it.',
  'pages/needs-no-token': 'Only a server with the front end of a case shows it.',
  'pages/no-front-end': 'Only a server with the front end of a case shows it.',
  'pages/no-templates': 'Only a server with the front end of a case shows it.',
  'system/flags-are-values': 'It changes flags that its operator adds: without them it is right.',
  'v2-access/errors-are-flat': 'It passes for a server without this API.',
  'v2-access/jobs-are-apart': 'It passes for a server without this API.',
  'v2-access/takes-no-bearer': 'It passes for a server without this API.',
  'v2-assets/large-outputs-have-a-size': 'It shows in a picture that takes long to make.',
  'v2-assets/nothing-expires': 'It shows after a day.',
  'v2-jobs/expires-in-an-hour': 'It shows after an hour.',
  'v2-jobs/outputs-come-at-the-end':
    'Only a clock that is stepped shows a run between two outputs.',
  'v2-streams/begins-without-a-status':
    'Only a clock that is stepped shows the beginning of a stream apart from what follows.',
  'v2-streams/previews-are-missing': 'Real servers may send no previews.',
  'v2-streams/silence-is-endless': 'It shows after a long silence.',
  'v2-streams/transitions-are-silent': 'Only a clock that is stepped shows each state of a run.',
  'workflows/replaced-in-silence': 'Only a server whose operator has set up replacements shows it.',
  'assets/folders-are-no-tags':
    'Only an upload into a folder with a meaning shows it, and there it would be among the files of others.',
}

/** The rules of which a case fails on no wrong server, by the reason. */
const idleRules: Readonly<Record<string, readonly string[]>> = {
  'What wrong servers change are replies and messages, not the connections below.': [
    'http/body-broken-off',
    'http/garbage-last',
    'http/hosted-no-http',
    'http/last-answer',
    'http/long-body',
    'http/long-lines',
    'http/pipelined',
    'http/refused-early',
    'messages/handshake-connection',
    'messages/handshake-headers',
    'messages/no-handshake',
    'messages/uncompressed',
    'v2-streams/left',
  ],
  'It is about one of several forms, and wrong servers break the others.': [
    'files/loaded-alpha',
    'files/mask',
    'files/preview-is-temp',
    'files/samples',
    'files/saved-name',
    'history/oldest-first',
    'http/cross-site',
    'http/foreign-origin',
    'system/features',
    'system/hosted-features',
    'system/queue-length',
    'workflows/prompt-id-made',
  ],
  'Its names and texts come with runs that no wrong server changes.': [
    'files/batch-number-kept',
    'files/prefix-odd',
    'files/prefix-outside',
    'templates/extra',
  ],
  'A server elsewhere has it only if its operator has set it up.': [
    'catalog/subgraphs',
    'deployments/hosted-not-built',
    'http/hosted-empty-parameter',
    'internal/wrong-method',
  ],
}

/** Why a case of a rule, given with the title, fails on no wrong server; undefined if it should. */
export const idleReason = (title: string): string | undefined =>
  Object.keys(idleRules).find((reason) =>
    idleRules[reason]?.some((id) => title.startsWith(`${id} `)),
  )
