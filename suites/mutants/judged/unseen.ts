// The wrong servers that look like a faultless one from outside, and why.

/** The reason by the name of the mutant. */
export const unseen: Readonly<Record<string, string | undefined>> = {
  'deployments/listens-everywhere':
    'A client on the same machine reaches both at the same address.',
  'deployments/plain-http':
    'It ignores the certificate that its operator names: without one it is right.',
  'files/hosted-strict-is-not': 'It ignores an option of its operator: without that it is right.',
  'queue/outputs-of-items-are-sorted-backwards': 'No rule names the order of the output nodes.',
}
