import type { Settings } from '../../config/keys.ts'
import { canonicalJson } from '../../core/json/canonical.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { redactSecrets } from '../../core/text/secrets/redact.ts'
import type { Tool } from '../../core/tool.ts'
import { presentOutput } from '../present.ts'

/** What a tool says that its call returned. Nobody is there to be asked about secrets, so they are hidden. */
export function presentReconciled(
  tool: Tool,
  output: JsonObject,
  { settings }: { readonly settings: Settings },
) {
  const shown: unknown =
    settings['secrets.to_model'] === 'allow' ? output : JSON.parse(JSON.stringify(output, hide))
  const given = isJsonObject(shown) ? shown : output
  const presented = presentOutput(
    tool,
    given,
    settings['tools.output.max_bytes'],
    settings['tools.output.style'],
  )
  return presented.ok ? { ...presented, output: given, canonical: canonicalJson(output) } : presented
}

function hide(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? redactSecrets(value) : value
}
