import type { Attributes, Meter, Span, SpanOptions, Tracer } from '@opentelemetry/api'

/** A span as it was left. */
export interface FakeSpan {
  readonly name: string
  readonly options: SpanOptions
  readonly attributes: Record<string, unknown>
  readonly events: { readonly name: string; readonly attributes: Attributes }[]
  status: { readonly code: number; readonly message?: string | undefined } | null
  ended: number
}

/** One value that was added to a counter or recorded in a histogram. */
export interface Measurement {
  readonly instrument: string
  readonly value: number
  readonly attributes: Attributes
}

/** A tracer and a meter that only remember. */
export interface FakeTelemetry {
  readonly tracer: Tracer
  readonly meter: Meter
  readonly spans: FakeSpan[]
  readonly measurements: Measurement[]
  /** Instruments by name, with what they are. */
  readonly instruments: Map<string, { readonly kind: string; readonly unit: string | undefined }>
  /** What was measured under a name, of one tool or all. */
  readonly of: (instrument: string, tool?: string) => readonly Measurement[]
}

/** Makes them. */
export function fakeTelemetry(): FakeTelemetry {
  const spans: FakeSpan[] = []
  const measurements: Measurement[] = []
  const instruments: FakeTelemetry['instruments'] = new Map()

  function startSpan(name: string, options: SpanOptions = {}): Span {
    const kept: FakeSpan = {
      name,
      options,
      attributes: { ...options.attributes },
      events: [],
      status: null,
      ended: 0,
    }
    spans.push(kept)
    const span: Span = {
      spanContext: () => ({ traceId: '', spanId: '', traceFlags: 0 }),
      setAttribute: (key, value) => {
        kept.attributes[key] = value
        return span
      },
      setAttributes: (more) => {
        Object.assign(kept.attributes, more)
        return span
      },
      addEvent: (event, attributes) => {
        kept.events.push({ name: event, attributes: (attributes ?? {}) as Attributes })
        return span
      },
      addLink: () => span,
      addLinks: () => span,
      setStatus: (status) => {
        kept.status = status
        return span
      },
      updateName: () => span,
      end: () => void kept.ended++,
      isRecording: () => true,
      recordException: () => {
        throw new Error('an exception may hold what nobody wanted to send')
      },
    }
    return span
  }

  const instrument = (kind: string) => (name: string, options?: { readonly unit?: string }) => {
    instruments.set(name, { kind, unit: options?.unit })
    const take = (value: number, attributes: Attributes = {}): void =>
      void measurements.push({ instrument: name, value, attributes })
    return { add: take, record: take, addCallback: () => undefined, removeCallback: () => undefined }
  }

  return {
    tracer: {
      startSpan,
      startActiveSpan: () => {
        throw new Error('nothing here runs inside a span')
      },
    },
    meter: {
      createCounter: instrument('counter'),
      createHistogram: instrument('histogram'),
      createGauge: instrument('gauge'),
      createUpDownCounter: instrument('up-down counter'),
      createObservableCounter: instrument('observable'),
      createObservableGauge: instrument('observable'),
      createObservableUpDownCounter: instrument('observable'),
      addBatchObservableCallback: () => undefined,
      removeBatchObservableCallback: () => undefined,
    },
    spans,
    measurements,
    instruments,
    of: (name, tool) =>
      measurements.filter(
        (one) =>
          one.instrument === name && (tool === undefined || one.attributes['gen_ai.tool.name'] === tool),
      ),
  }
}
