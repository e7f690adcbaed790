// The wrong servers that look like a faultless one from outside, and why.

/** The reason by the name of the mutant. */
export const unseen: Readonly<Record<string, string | undefined>> = {
  'deployments/listens-everywhere':
    'A client on the same machine reaches both at the same address.',
  'deployments/plain-http':
    'It ignores the certificate that its operator names: without one it is right.',
  'files/hosted-strict-is-not': 'It ignores an option of its operator: without that it is right.',
  'frames/long-text-is-cut': 'Only test nodes of the suites send a text that a client can choose.',
  'frames/text-in-latin-1': 'Only test nodes of the suites send a text that is not ASCII.',
  'queue/colliding-ids-are-accepted':
    'The requests that show it can stop the worker of a real server: check never sends them.',
  'runs/poison-spreads':
    'The requests that show it stop the worker of a real server: check never sends them.',
  'workflows/answer-late':
    'Its message leaves together with the reply, as at a server whose worker starts immediately.',
}
