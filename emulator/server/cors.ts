// The CORS headers [http/cors-mode, http/hosted-cors], which let pages of another origin read a reply.

import { hostedCors } from '../../spec/server/http.ts'
import type { WorldOptions } from './state/options.ts'

/** The headers that let pages of another origin read a reply: the configured origin on local, any origin on hosted. */
export const corsHeaders = ({
  deployment,
  cors,
}: Pick<WorldOptions, 'deployment' | 'cors'>): Readonly<Record<string, string>> =>
  deployment === 'hosted' ? hostedCors : localCors(cors)

/** The headers that `--cors` adds to the replies of a local server; later ones allow PATCH. */
export const localCors = (
  origin: string | null,
  allowsPatch = false,
): Readonly<Record<string, string>> =>
  origin === null
    ? {}
    : {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Methods': `POST, GET, DELETE, PUT, OPTIONS${allowsPatch ? ', PATCH' : ''}`,
        'Access-Control-Allow-Headers': 'Content-Type, Authorization',
        'Access-Control-Allow-Credentials': 'true',
      }
