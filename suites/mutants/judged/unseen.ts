// The wrong servers that look like a faultless one from outside, and why.

/** The reason by the name of the mutant. */
export const unseen: Readonly<Record<string, string | undefined>> = {
  'accounts/api-key-pays-partners': 'It shows in a run that costs money.',
  'accounts/fails-at-submit': 'Only an account without money or subscription shows it.',
  'accounts/hosted-counts-from-one':
    'Only an account that has never run anything shows where counting begins.',
  'accounts/partner-nodes-are-free': 'It shows in a run that costs money.',
  'accounts/scenario-is-ignored':
    'It ignores the scenario that its operator names: without one it is right.',
  'files/hosted-leak-unsaid': 'It reports no leak in its journal, which a client cannot read.',
  'files/hosted-link-lasts': 'It shows after an hour.',
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
}
