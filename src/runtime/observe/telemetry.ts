import type { Meter, Tracer } from '@opentelemetry/api'
import type { Settings } from '../../config/keys.ts'
import type { Registry } from '../../core/registry.ts'
import type { LiveEvent } from '../../pipeline/engine.ts'
import { createCallMeters } from './call-meters.ts'
import { createCallSpans } from './call-spans.ts'
import type { SpanScope } from './call-spans.ts'

/** Where telemetry goes. What is absent is taken from the SDK that the process has registered. */
export interface TelemetryOptions {
  readonly tracer?: Tracer
  readonly meter?: Meter
}

/** Reports calls to OpenTelemetry. It is an ordinary watcher; the pipeline does not know about it. */
export interface Telemetry {
  readonly watch: (scope: SpanScope) => (event: LiveEvent) => void
  readonly close: () => void
}

const SCOPE = 'tongs'

/** Opens telemetry if it is enabled, else returns null. OpenTelemetry is loaded only if needed. */
export async function openTelemetry(
  given: TelemetryOptions | undefined,
  settings: Settings,
  registry: Registry,
): Promise<Telemetry | null> {
  if (given === undefined && !settings['telemetry.enabled']) return null
  const { tracer, meter } = await complete(given ?? {})
  const spans = createCallSpans(tracer, registry, settings['telemetry.arguments'])
  const measure = createCallMeters(meter, (name) => registry.find(name) !== null)
  return {
    watch: (scope) => {
      const follow = spans.watch(scope)
      return (event) => {
        follow(event)
        measure(event)
      }
    },
    close: spans.close,
  }
}

async function complete({ tracer, meter }: TelemetryOptions) {
  if (tracer !== undefined && meter !== undefined) return { tracer, meter }
  const { metrics, trace } = await import('@opentelemetry/api')
  return { tracer: tracer ?? trace.getTracer(SCOPE), meter: meter ?? metrics.getMeter(SCOPE) }
}
