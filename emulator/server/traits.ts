// Resolves the traits of a deployment, its generation and its quirks, once, when a world is created.

import { type Generation, generations } from '../../spec/generations.ts'
import type { Deployment } from '../../spec/language.ts'
import type { QuirkId } from '../../spec/truth/quirks.ts'
import type { Traits } from './state/traits.ts'

/** Model folders that servers have since 2026. */
const foldersOf2026 = [
  'latent_upscale_models',
  'background_removal',
  'frame_interpolation',
  'geometry_estimation',
  'optical_flow',
  'detection',
] as const

/** What only later generations of local servers change: the first one and hosted servers have these alike. */
const beforeGenerations = {
  knowsAssets: false,
  guardsFiles: false,
  showsSafeImages: false,
  userTimes: 'seconds',
  namesErrors: false,
  scriptCache: 'no-cache',
  cachesModules: true,
  hidesDots: false,
  annotatesFiles: false,
  listsExtensions: false,
  allowsPatch: false,
  missingFolders: [...foldersOf2026, 'datasets', 'fonts'],
  hasMoreFlags: false,
  replacesNodes: false,
  showsUserStyle: false,
  prefersMedia: false,
  showsOpenWorkflows: false,
  audioNameEnd: '_',
  modelResults: 2,
  describesTypes: false,
  nodesOf2026: false,
  printsCharacters: false,
  cachedNeedsClient: false,
  keepsEarlierResults: false,
  listsUnreached: true,
  takesPreviewMethod: false,
  describesFiles: false,
  refusesOddIds: false,
  stampsSubmits: false,
  reportsMissingTypes: false,
  checksNewCombos: false,
  throttlesProgress: false,
  refusesCrossSite: false,
} as const satisfies Partial<Traits>

/** Assets before any generation of local servers has them. */
const localAssets = {
  hasNewerAssets: false,
  filtersByTags: false,
  previewsContent: false,
  keepsTemporary: false,
  nestsAssetErrors: true,
  assetZone: '',
  sharesModels: false,
  filtersByMetadata: true,
  countsUnused: true,
  hashesContents: false,
  repeatsFilename: true,
  marksUploads: true,
  removesContent: false,
  takesAssetIds: false,
} as const satisfies Partial<Traits>

const hostedAssets = {
  hasNewerAssets: true,
  filtersByTags: true,
  previewsContent: true,
  keepsTemporary: true,
  nestsAssetErrors: false,
  assetZone: 'Z',
  sharesModels: true,
  filtersByMetadata: true,
  countsUnused: false,
  hashesContents: true,
  repeatsFilename: false,
  marksUploads: false,
  removesContent: true,
  takesAssetIds: true,
} as const satisfies Partial<Traits>

const deployments: Readonly<Record<Deployment, Traits>> = {
  local: {
    ...beforeGenerations,
    ...localAssets,
    sharesMessages: false,
    notifiesOfStart: false,
    endsWithNullNode: true,
    seesLateInterrupts: false,
    keepsFailures: false,
    messageNames: 'python',
    jobNames: 'words',
    progressHasTypes: false,
    hasSubfolders: true,
    videoKey: 'videos',
    needsModelsToRun: false,
    takesWebAddresses: false,
    takesInfinity: true,
  },
  hosted: {
    ...beforeGenerations,
    ...hostedAssets,
    sharesMessages: true,
    notifiesOfStart: true,
    endsWithNullNode: false,
    seesLateInterrupts: true,
    keepsFailures: true,
    messageNames: 'words',
    jobNames: 'words',
    progressHasTypes: true,
    hasSubfolders: false,
    videoKey: 'video',
    needsModelsToRun: true,
    takesWebAddresses: true,
    takesInfinity: false,
  },
}

/** What each generation of local servers changes in the one before. */
const news: Readonly<Partial<Record<Generation, Partial<Traits>>>> = {
  '0.27': {
    knowsAssets: true,
    guardsFiles: true,
    userTimes: 'milliseconds',
    namesErrors: true,
    scriptCache: 'no-store',
    hidesDots: true,
    annotatesFiles: true,
    listsExtensions: true,
    allowsPatch: true,
    missingFolders: ['datasets', 'fonts'],
    hasMoreFlags: true,
    replacesNodes: true,
    refusesOddIds: true,
    stampsSubmits: true,
    reportsMissingTypes: true,
    checksNewCombos: true,
    throttlesProgress: true,
    audioNameEnd: '',
    modelResults: 3,
    describesTypes: true,
    nodesOf2026: true,
    cachedNeedsClient: true,
    keepsEarlierResults: true,
    listsUnreached: false,
    takesPreviewMethod: true,
    refusesCrossSite: true,
  },
  '0.33': {
    missingFolders: ['fonts'],
    showsSafeImages: true,
    filtersByTags: true,
    previewsContent: true,
    keepsTemporary: true,
    showsUserStyle: true,
    prefersMedia: true,
    cachedNeedsClient: false,
    printsCharacters: true,
  },
  '0.38': {
    missingFolders: [],
    showsOpenWorkflows: true,
    describesFiles: true,
    hasNewerAssets: true,
    filtersByMetadata: false,
    cachesModules: false,
  },
}

const changes: Readonly<Partial<Record<QuirkId, Partial<Traits>>>> = {
  'local.notification': { notifiesOfStart: true },
  'local.video-under-images': { videoKey: 'images' },
  'hosted.executing-null': { endsWithNullNode: true },
  'hosted.python-exception-names': { jobNames: 'python' },
}

/** Traits that were resolved before: worlds with the same options share them. */
const resolved = new Map<string, Traits>()

/** The traits of a world of this deployment and generation with these quirks. */
export function traitsOf(
  deployment: Deployment,
  generation: Generation,
  quirks: readonly QuirkId[],
): Traits {
  const key = [deployment, generation, ...quirks].join(' ')
  const known = resolved.get(key)
  if (known !== undefined) return known
  const traits = Object.assign(
    {},
    deployments[deployment],
    ...generations.slice(0, generations.indexOf(generation) + 1).map((one) => news[one]),
    ...quirks.map((id) => changes[id]),
  ) as Traits
  resolved.set(key, traits)
  return traits
}
