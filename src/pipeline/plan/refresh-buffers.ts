import { ToolFailure } from '../../core/error.ts'
import type { Claim, Tool } from '../../core/tool.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { Received } from '../step.ts'

/** Asks the editor about the files that a call names, so that it reads and changes what the editor has of them. */
export async function refreshBuffers(
  tool: Pick<Tool, 'claims'>,
  { args }: Pick<Received, 'args'>,
  { buffers, locate }: Pick<Workspace, 'buffers' | 'locate'>,
): Promise<void> {
  const places = claimsOf(tool, args).flatMap((claim) => {
    const at = locate(claim)
    return at.ok && at.kind === 'file' && claim.intent !== 'list' ? [at.absolute] : []
  })
  await buffers?.refresh(places)
}

/** What is wrong with the arguments is said when the call runs. */
function claimsOf(tool: Pick<Tool, 'claims'>, args: Received['args']): readonly Claim[] {
  try {
    return tool.claims(args)
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return []
    throw thrown
  }
}
