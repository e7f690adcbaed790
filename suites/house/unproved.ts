// Rules that no case proves yet, with the reason. An entry for a rule that has a case, or that does not exist, fails.

const masks = 'Uploading masks is not built yet.'
const manager = 'The node manager is not built yet.'
const token = 'The bearer token is not built yet.'

export const unproved: Readonly<Record<string, string>> = {
  'access/bearer-token': token,
  'access/bearer-refusal': token,
  'http/cors-mode': 'The CORS mode is not built yet.',
  'files/view-converted': 'Pictures are not converted for a view yet.',
  'files/view-conditional': 'ETag, Last-Modified and Range are not built yet.',
  'files/mask': masks,
  'files/mask-original': masks,
  'files/mask-alpha': masks,
  'files/mask-bad-original': masks,
  'manager/off': manager,
  'manager/install': manager,
  'manager/status': manager,
  'manager/install-model': manager,
  'manager/status-counts': manager,
  'manager/installed-model-listed': manager,
  'manager/path-stays-inside': manager,
}
