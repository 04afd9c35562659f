import type { Origin } from '../../core/call.ts'
import type { Engine } from '../engine.ts'
import type { Received } from '../step.ts'
import { putRight } from './put-right.ts'

/**
 * Puts slips in the arguments of a model's call right, if the configuration says so; everything after this sees what
 * they became. What was received stays on record, and arguments that fit are not touched.
 */
export function takeLeniently(
  call: Received,
  origin: Origin,
  { registry, validation, settings }: Pick<Engine, 'registry' | 'validation' | 'settings'>,
): Received {
  if (origin !== 'model' || settings['tools.arguments'] !== 'lenient') return call
  if (call.problems.length > 0 || call.envelope.length > 0) return call
  const tool = registry.find(call.name)
  if (tool === null || validation.of(tool.inputSchema)(call.args, 'args').length === 0) return call
  const { args, notes } = putRight(call.args, tool.inputSchema, tool.slips)
  return notes.length === 0 ? call : { ...call, args, corrections: notes }
}
