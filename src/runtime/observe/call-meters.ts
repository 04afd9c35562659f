import type { Attributes, Meter } from '@opentelemetry/api'
import type { ErrorCode } from '../../core/error.ts'
import type { ResourceUse } from '../../core/resource-use.ts'
import type { ToolResult } from '../../core/result.ts'
import type { LiveEvent } from '../../pipeline/engine.ts'

/** Errors that mean a call exceeded a limit. */
const LIMIT_CODES: ReadonlySet<ErrorCode> = new Set(['limit_exceeded', 'timeout', 'resource_exhausted'])

/** Counts and measures calls. Unknown tools share one label, because a model can make up any name. */
export function createCallMeters(
  meter: Meter,
  isKnown: (tool: string) => boolean,
): (event: LiveEvent) => void {
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(name, { unit, description })
  const calls = counter('tongs.calls', '{call}', 'Settled calls by final state')
  const transitions = counter('tongs.call.transitions', '{transition}', 'State transitions of calls')
  const authorizations = counter('tongs.authorizations', '{decision}', 'Authorization decisions')
  const denials = counter('tongs.denials', '{call}', 'Calls that policy denied before they ran')
  const capabilities = counter(
    'tongs.capability_denials',
    '{call}',
    'Calls stopped because a capability was not granted or not declared',
  )
  const rollbacks = counter('tongs.rollbacks', '{call}', 'Calls that were rolled back')
  const violations = counter('tongs.limit_violations', '{call}', 'Calls that exceeded a limit')
  const invalid = counter('tongs.validation_failures', '{call}', 'Calls with invalid input or output')
  const reads = counter('tongs.call.device_reads', '{operation}', 'Read operations on devices')
  const writes = counter('tongs.call.device_writes', '{operation}', 'Write operations on devices')
  const durations = meter.createHistogram('tongs.call.duration', {
    unit: 's',
    description: 'Duration of calls that ran',
  })
  const cpuTimes = meter.createHistogram('tongs.call.cpu_time', {
    unit: 's',
    description: 'CPU time of calls that ran alone',
  })
  const memory = meter.createHistogram('tongs.process.peak_memory', {
    unit: 'By',
    description: 'Peak memory of the process at the end of a call',
  })
  const running = new Set<string>()

  const labelOf = (tool: string): Attributes => ({ 'gen_ai.tool.name': isKnown(tool) ? tool : '_other' })

  function countState({ execution, name, state }: Extract<LiveEvent, { event: 'state' }>): void {
    const tool = labelOf(name)
    transitions.add(1, { ...tool, 'tongs.state': state })
    if (state === 'EXECUTING') running.add(execution)
    if (state === 'AUTHORIZED') authorizations.add(1, { ...tool, 'tongs.decision': 'granted' })
  }

  function countResult(result: ToolResult): void {
    const { state, duration_ms: durationMs, id } = result.execution
    const tool = labelOf(result.name)
    const ending: Attributes = {
      ...tool,
      'tongs.state': state,
      ...(result.ok ? {} : { 'error.type': result.error.code }),
    }
    calls.add(1, ending)
    if (running.delete(id)) durations.record(durationMs / 1000, ending)
    if (result.ok) return
    const { code, class: kind } = result.error
    const failed = { ...tool, 'error.type': code }
    // A call that is still waiting has not been decided on.
    const isDecided = state !== 'VALIDATED'
    if (kind === 'AuthorizationError' && isDecided)
      authorizations.add(1, { ...failed, 'tongs.decision': 'denied' })
    if (kind === 'ValidationError') invalid.add(1, failed)
    if (LIMIT_CODES.has(code)) violations.add(1, failed)
    if (code === 'capability_denied') capabilities.add(1, failed)
    if (state === 'DENIED') denials.add(1, failed)
    if (state === 'ROLLED_BACK') rollbacks.add(1, failed)
  }

  function countUse(tool: Attributes, { cpuMs, maxRssBytes, fsReads, fsWrites }: ResourceUse): void {
    cpuTimes.record(cpuMs / 1000, tool)
    memory.record(maxRssBytes, tool)
    reads.add(fsReads, tool)
    writes.add(fsWrites, tool)
  }

  return (event) => {
    if (event.event === 'state') countState(event)
    if (event.event !== 'result') return
    countResult(event.result)
    if (event.usage !== undefined) countUse(labelOf(event.result.name), event.usage)
  }
}
