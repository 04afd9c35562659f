import { trimEndOf } from '../../core/text/trim-end.ts'
import type { MovePath } from '../../core/tool.ts'
import type { Engine } from '../engine.ts'
import type { Received } from '../step.ts'

/**
 * Reads the relative paths of a call from the working folder it names, so that everything after this sees where they
 * really lead. What was received stays on record. Arguments that do not fit their schema are left for the gates.
 */
export function fromFolder(call: Received, engine: Pick<Engine, 'registry' | 'validation'>): Received {
  const { cwd } = call.meta
  if (cwd === undefined || call.problems.length > 0) return call
  const tool = engine.registry.find(call.name)
  if (tool === null || tool.rebase === null) return call
  if (engine.validation.of(tool.inputSchema)(call.args, 'args').length > 0) return call
  try {
    return { ...call, args: tool.rebase(call.args, moveInto(cwd)) }
  } catch {
    // The tool says what is wrong with them when it is asked for its claims.
    return call
  }
}

/** Joined as text, so that the sandbox still sees any `..`. */
function moveInto(folder: string): MovePath {
  const start = folder.length > 1 ? trimEndOf(folder, '/') : folder
  return (path) => {
    if (path.startsWith('/') || start === '.') return path
    return path === '.' ? start : `${start}/${path}`
  }
}
