// The duties of a good client: what it does, and what it survives. `check --client` watches a client for them.

import { type Rules, stated, chosen, observedAt } from '../language.ts'

const seen = observedAt('clients of the ComfyUI API')
const seenOnHosted = observedAt('clients of the hosted API')

export const rules = {
  ...stated.hosted({
    'duties/key-stays-home': 'A client sends no key to the host of a signed link. [A111]',
    'duties/key-in-header':
      'A client sends its key in `X-API-Key`, and in the address of the socket only. [A116]',
    'duties/partner-key':
      'A client sends the partner key in `extra_data` alone, and its API key not there. [A33]',
  }),
  ...seen.local({
    'duties/client-id': 'A client submits with the `client_id` with which it opened its socket.',
  }),
  ...seen.both({
    'duties/unknown-messages': 'A client ignores messages of types that it does not know.',
    'duties/unknown-fields': 'A client ignores fields of messages that it does not know.',
    'duties/empty-status': 'A client survives a `status` without `exec_info`.',
    'duties/large-messages': 'A client accepts messages of more than a megabyte.',
    'duties/missing-end': 'A client finds the end of a run that no message reports.',
    'duties/missing-executed': 'A client finds outputs that no `executed` message lists.',
  }),
  ...stated.hosted({
    'duties/foreign-messages':
      'A client ignores messages with the `prompt_id` of another run. [A133]',
  }),
  ...seen.both({
    'duties/socket-drop': 'A client finds the end of its run after its socket is reset.',
    'duties/no-socket': 'A client that gets no socket polls instead.',
    'duties/handshake-pace':
      'A client whose socket is rejected tries again at most 10 times a second.',
  }),
  ...seen.local({
    'duties/reconnect': 'A client that reconnects uses the `clientId` that it had before.',
  }),
  ...seen.both({
    'duties/late-socket': 'A client finds the end of a run that was over before its socket opened.',
  }),
  ...stated.local({
    'duties/status-first':
      'A client reads `status_str` before `completed`: a failed run can be completed. [A53]',
  }),
  ...stated.both({
    'duties/failed-run': 'A client reports a run that fails as failed. [A67]',
    'duties/interrupted-run': 'A client reports a run that is interrupted as not successful. [A66]',
    'duties/rejected-workflow':
      'A client reports a workflow that is rejected, and does not submit it again. [A141]',
    'duties/node-errors':
      'A client does not wait for a run whose submit returned 200 with all nodes invalid. [A37]',
  }),
  ...seen.both({
    'duties/cached-run': 'A client finds the outputs of a run that comes from the cache.',
    'duties/late-record': 'A client asks again for the record of a run that has just ended.',
  }),
  ...seen.local({
    'duties/lost-run': 'A client does not wait forever for a run that the server has lost.',
  }),
  ...observedAt('clients of the hosted API').both({
    'duties/retry-after':
      'A client whose submit gets 429 waits for the time in `Retry-After`, and submits again.',
    'duties/retry-after-poll':
      'A client that gets 503 for a state waits for the time in `Retry-After`, and asks again.',
  }),
  ...seen.both({ 'duties/bad-gateway': 'A client survives one 502 while it waits for a run.' }),
  ...stated.hosted({
    'duties/folder-not-found':
      'A client distinguishes `folder_not_found` from a missing endpoint. [A142 A143]',
  }),
  ...seenOnHosted.hosted({
    'duties/rejected-key': 'A client whose key is rejected stops after at most 3 requests.',
  }),
  ...stated.hosted({
    'duties/free-tier':
      'A client on the free tier reports the 403, and repeats the request at most twice. [A117]',
  }),
  ...seenOnHosted.hosted({
    'duties/job-not-yet':
      'A client asks again for a job that is not found directly after its submit.',
  }),
  ...stated.both({
    'duties/video-keys': 'A client downloads videos under `video` and under `videos`. [A47]',
  }),
  ...seen.local({
    'duties/video-under-images': 'A client downloads a video that is listed under `images`.',
  }),
  ...seen.both({
    'duties/file-names': 'A client encodes the names of files in addresses.',
    'duties/other-outputs': 'A client survives outputs that are not files, such as texts.',
    'duties/uploads': 'A client uses the name in the reply to its upload.',
  }),
  ...chosen.both({
    'duties/poll-pace': 'A client repeats a request for a state at most 20 times a second.',
    'duties/runs-of-others': 'A client interrupts and clears nothing without naming its run.',
    'duties/long-numbers': 'A client sends integers beyond 2^53 with all of their digits.',
    'duties/short-frames': 'A client ignores a binary frame that is too short.',
    'duties/order': 'A client does not depend on the order of the messages about two nodes.',
    'duties/repeated-end':
      'A client ends a run once, although the message about its end arrives twice.',
    'duties/socket-close': 'A client finds the end of its run after the server closes its socket.',
    'duties/silent-socket': 'A client finds the end of its run although its socket falls silent.',
    'duties/names-the-node': 'A client that reports a rejected workflow names the invalid node.',
    'duties/lost-reply':
      'A client whose submit gets no reply looks for the run before it submits again.',
    'duties/broken-download': 'A client notices a download that breaks off.',
  }),
  ...chosen.hosted({
    'duties/expired-link': 'A client requests a new link when a signed link has expired.',
    'duties/raw-states':
      'A client understands the internal states of a job: `executing`, `success` and others.',
  }),
} as const satisfies Rules
export type DutyRule = keyof typeof rules
