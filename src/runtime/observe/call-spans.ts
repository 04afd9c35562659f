import type { Attributes, Span, Tracer } from '@opentelemetry/api'
import type { Origin } from '../../core/call.ts'
import type { Registry } from '../../core/registry.ts'
import type { ToolResult } from '../../core/result.ts'
import { redactSecrets } from '../../core/text/secrets/redact.ts'
import { ellipsis } from '../../core/text/truncate.ts'
import type { LiveEvent } from '../../pipeline/engine.ts'

/** The maximum length of arguments and of tool names in a span. */
const MAX_CHARS = 8192
const NAME_CHARS = 64

/** OpenTelemetry's values for span kind and status; they are part of its API. */
const INTERNAL_KIND = 0
const STATUS_ERROR = 2

/** The run that a call belongs to. */
export interface SpanScope {
  readonly session: string
  readonly origin: Origin
  readonly isDryRun: boolean
}

/** Spans of calls, each from the call's start until its result is recorded. */
export interface CallSpans {
  readonly watch: (scope: SpanScope) => (event: LiveEvent) => void
  /** Ends the spans of calls that never got a result. */
  readonly close: () => void
}

/** Creates a span for each call. Arguments are included only if configured, results never. */
export function createCallSpans(tracer: Tracer, registry: Registry, hasArguments: boolean): CallSpans {
  const open = new Map<string, Span>()

  function begin(call: Extract<LiveEvent, { event: 'call' }>, scope: SpanScope): void {
    const tool = registry.find(call.name)
    const attributes: Attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': ellipsis(call.name, NAME_CHARS),
      'gen_ai.tool.call.id': call.id,
      'gen_ai.tool.type': 'function',
      'tongs.execution.id': call.execution,
      'tongs.session': scope.session,
      'tongs.origin': scope.origin,
      'tongs.dry_run': scope.isDryRun,
    }
    if (tool !== null) {
      attributes['gen_ai.tool.description'] = tool.description
      attributes['tongs.tool.version'] = tool.version
      attributes['tongs.tool.effect'] = tool.effect
    }
    if (hasArguments)
      attributes['gen_ai.tool.call.arguments'] = ellipsis(redactSecrets(JSON.stringify(call.args)), MAX_CHARS)
    // Span names must have few distinct values, so names that a model made up are left out.
    const name = tool === null ? 'execute_tool' : `execute_tool ${tool.name}`
    open.set(call.execution, tracer.startSpan(name, { kind: INTERNAL_KIND, attributes }))
  }

  function end({ execution, ...result }: ToolResult): void {
    const span = open.get(execution.id)
    if (span === undefined) return
    open.delete(execution.id)
    span.setAttribute('tongs.state', execution.state)
    span.setAttribute('tongs.duration_ms', execution.duration_ms)
    if (!result.ok) {
      // An error message may quote private content, so only the code is exported.
      const { code, class: kind } = result.error
      span.setAttribute('error.type', code)
      span.setAttribute('tongs.error.class', kind)
      span.setStatus({ code: STATUS_ERROR, message: code })
    }
    span.end()
  }

  return {
    watch: (scope) => (event) => {
      if (event.event === 'call') begin(event, scope)
      else if (event.event === 'result') end(event.result)
      else if (event.event === 'state')
        open.get(event.execution)?.addEvent('tongs.state', { 'tongs.state': event.state })
    },
    close: () => {
      for (const span of open.values()) {
        span.setStatus({ code: STATUS_ERROR, message: 'no result' })
        span.end()
      }
      open.clear()
    },
  }
}
