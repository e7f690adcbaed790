// The duties of a good client: what it does, and what it survives. `check --client` watches a client for them.

import { both, hosted, local, type Rules, stated, chosen, rulesWith } from '../language.ts'

const seen = rulesWith({ basis: 'observed', source: 'clients of the ComfyUI API', on: both })
const seenOnLocal = rulesWith({
  basis: 'observed',
  source: 'clients of the ComfyUI API',
  on: local,
})
const seenOnHosted = rulesWith({
  basis: 'observed',
  source: 'clients of the hosted API',
  on: hosted,
})

export const rules = {
  'duties/key-stays-home': stated.hosted(
    'A client sends no key to the host of a signed link.',
    'A111',
  ),
  'duties/key-in-header': stated.hosted(
    'A client sends its key in `X-API-Key`, and in the address of the socket only.',
    'A116',
  ),
  'duties/partner-key': stated.hosted(
    'A client sends the partner key in `extra_data` alone, and its API key not there.',
    'A33',
  ),
  'duties/client-id': seenOnLocal(
    'A client submits with the `client_id` with which it opened its socket.',
  ),
  'duties/poll-pace': chosen.both(
    'A client repeats a request for a state at most 20 times a second.',
  ),
  'duties/runs-of-others': chosen.both(
    'A client interrupts and clears nothing without naming its run.',
  ),
  'duties/long-numbers': chosen.both(
    'A client sends integers beyond 2^53 with all of their digits.',
  ),
  'duties/unknown-messages': seen('A client ignores messages of types that it does not know.'),
  'duties/unknown-fields': seen('A client ignores fields of messages that it does not know.'),
  'duties/empty-status': seen('A client survives a `status` without `exec_info`.'),
  'duties/short-frames': chosen.both('A client ignores a binary frame that is too short.'),
  'duties/large-messages': seen('A client accepts messages of more than a megabyte.'),
  'duties/order': chosen.both(
    'A client does not depend on the order of the messages about two nodes.',
  ),
  'duties/repeated-end': chosen.both(
    'A client ends a run once, although the message about its end arrives twice.',
  ),
  'duties/missing-end': seen('A client finds the end of a run that no message reports.'),
  'duties/missing-executed': seen('A client finds outputs that no `executed` message lists.'),
  'duties/foreign-messages': stated.hosted(
    'A client ignores messages with the `prompt_id` of another run.',
    'A133',
  ),
  'duties/socket-drop': seen('A client finds the end of its run after its socket is reset.'),
  'duties/socket-close': chosen.both(
    'A client finds the end of its run after the server closes its socket.',
  ),
  'duties/silent-socket': chosen.both(
    'A client finds the end of its run although its socket falls silent.',
  ),
  'duties/no-socket': seen('A client that gets no socket polls instead.'),
  'duties/handshake-pace': seen(
    'A client whose socket is rejected tries again at most 10 times a second.',
  ),
  'duties/reconnect': seenOnLocal(
    'A client that reconnects uses the `clientId` that it had before.',
  ),
  'duties/late-socket': seen(
    'A client finds the end of a run that was over before its socket opened.',
  ),
  'duties/status-first': stated.local(
    'A client reads `status_str` before `completed`: a failed run can be completed.',
    'A53',
  ),
  'duties/failed-run': stated.both('A client reports a run that fails as failed.', 'A67'),
  'duties/interrupted-run': stated.both(
    'A client reports a run that is interrupted as not successful.',
    'A66',
  ),
  'duties/rejected-workflow': stated.both(
    'A client reports a workflow that is rejected, and does not submit it again.',
    'A141',
  ),
  'duties/names-the-node': chosen.both(
    'A client that reports a rejected workflow names the invalid node.',
  ),
  'duties/node-errors': stated.both(
    'A client does not wait for a run whose submit returned 200 with all nodes invalid.',
    'A37',
  ),
  'duties/cached-run': seen('A client finds the outputs of a run that comes from the cache.'),
  'duties/late-record': seen('A client asks again for the record of a run that has just ended.'),
  'duties/lost-run': seenOnLocal(
    'A client does not wait forever for a run that the server has lost.',
  ),
  'duties/retry-after': {
    says: 'A client whose submit gets 429 waits for the time in `Retry-After`, and submits again.',
    basis: 'observed',
    source: 'clients of the hosted API',
    on: both,
  },
  'duties/retry-after-poll': {
    says: 'A client that gets 503 for a state waits for the time in `Retry-After`, and asks again.',
    basis: 'observed',
    source: 'clients of the hosted API',
    on: both,
  },
  'duties/bad-gateway': seen('A client survives one 502 while it waits for a run.'),
  'duties/lost-reply': chosen.both(
    'A client whose submit gets no reply looks for the run before it submits again.',
  ),
  'duties/broken-download': chosen.both('A client notices a download that breaks off.'),
  'duties/folder-not-found': stated.hosted(
    'A client distinguishes `folder_not_found` from a missing endpoint.',
    'A142',
    'A143',
  ),
  'duties/rejected-key': seenOnHosted(
    'A client whose key is rejected stops after at most 3 requests.',
  ),
  'duties/free-tier': stated.hosted(
    'A client on the free tier reports the 403, and repeats the request at most twice.',
    'A117',
  ),
  'duties/expired-link': chosen.hosted(
    'A client requests a new link when a signed link has expired.',
  ),
  'duties/job-not-yet': seenOnHosted(
    'A client asks again for a job that is not found directly after its submit.',
  ),
  'duties/raw-states': chosen.hosted(
    'A client understands the internal states of a job: `executing`, `success` and others.',
  ),
  'duties/video-keys': stated.both(
    'A client downloads videos under `video` and under `videos`.',
    'A47',
  ),
  'duties/video-under-images': seenOnLocal(
    'A client downloads a video that is listed under `images`.',
  ),
  'duties/file-names': seen('A client encodes the names of files in addresses.'),
  'duties/other-outputs': seen('A client survives outputs that are not files, such as texts.'),
  'duties/uploads': seen('A client uses the name in the reply to its upload.'),
} as const satisfies Rules
export type DutyRule = keyof typeof rules
