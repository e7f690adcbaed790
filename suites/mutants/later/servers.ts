// Makes wrong servers of later generations.

import type { RuleId } from '../../../spec/rules.ts'
import type { ServerName } from '../../../spec/truth/servers.ts'
import type { Maker, Mutant } from '../tamper.ts'

const like =
  (name: ServerName) =>
  (breaks: readonly RuleId[], tamper: Maker): Mutant => ({
    breaks,
    tamper,
    options: { like: name },
  })

export const of27 = like('comfyui-0.27')
export const of38 = like('comfyui-0.38')
