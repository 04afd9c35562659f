import { ERRORS } from '../core/error.ts'
import type { JsonObject } from '../core/json/value.ts'
import { NEXT } from '../core/lifecycle.ts'
import type { Stop, TurnEvent } from './events.ts'

type EventName = TurnEvent['event']

const TEXT = { type: 'string' }
const WHOLE = { type: 'integer', minimum: 0 }
const TEXTS = { type: 'array', items: TEXT }
const OBJECT = { type: 'object' }
const either = (...values: readonly string[]): JsonObject => ({ enum: [...values] })
const orNull = (type: string): JsonObject => ({ type: [type, 'null'] })

const STOPS: Readonly<Record<Stop, true>> = {
  end: true,
  cancelled: true,
  max_iterations: true,
  approval_pending: true,
  held: true,
  budget: true,
}

const CALL = { id: TEXT, name: TEXT, args: OBJECT }
const CHANGES = {
  type: 'array',
  items: shape({ path: TEXT, change: either('created', 'modified', 'deleted') }),
}

const ERROR = shape({
  code: either(...Object.keys(ERRORS)),
  kind: orNull('string'),
  type: either('validation-error', 'permission-error', 'file-error', 'process-error'),
  class: TEXT,
  message: TEXT,
  details: OBJECT,
  recovery: TEXTS,
})

const EXECUTION = shape(
  { id: TEXT, state: either(...Object.keys(NEXT)), duration_ms: { type: 'number', minimum: 0 } },
  { grant: TEXT, attempts: WHOLE },
)

const RESULT = {
  ...shape(
    { id: TEXT, name: TEXT, ok: { type: 'boolean' }, content: TEXT, execution: EXECUTION },
    {
      result: OBJECT,
      error: ERROR,
      origin: either('person', 'model', 'runtime'),
      continuation: OBJECT,
      warnings: TEXTS,
      attached: { type: 'array', items: OBJECT },
      hidden: { type: 'array', items: OBJECT },
    },
  ),
  oneOf: [
    { required: ['result'], properties: { ok: { const: true } } },
    { required: ['error'], properties: { ok: { const: false } } },
  ],
}

const APPROVAL = shape(
  {
    id: TEXT,
    kind: either('call', 'landing'),
    session: TEXT,
    call: shape(CALL),
    execution: TEXT,
    summary: TEXT,
    risk: either('Low', 'Medium', 'High'),
    danger: orNull('string'),
    diff: orNull('string'),
    asked_at: WHOLE,
    expires_at: WHOLE,
    why: TEXT,
    rung: orNull('string'),
    scopes: { type: 'array', items: shape({ scope: OBJECT, sentence: TEXT }) },
  },
  {
    changes: CHANGES,
    changes_total: WHOLE,
    size: WHOLE,
    cwd: TEXT,
    about: either('run', 'result'),
    hunks: shape({ lines: { type: 'array', items: WHOLE } }, { together: { type: 'array' } }),
    layer: either('overlay', 'copy', 'none'),
    limits: TEXT,
    passing: shape({ scope: OBJECT, sentence: TEXT }),
    damaged: TEXT,
    note: TEXT,
  },
)

/** What each event has; there may be more, so a program ignores what it does not know. */
const EVENTS: Readonly<Record<EventName, JsonObject>> = {
  turn: event('turn', 'A turn began.', shape({ turn: TEXT, session: TEXT, model: TEXT })),
  text: event(
    'text',
    'The model wrote; with starts_over, its message begins again.',
    shape({ text: TEXT }, { starts_over: { const: true }, another: { const: true } }),
  ),
  call: event('call', 'The model asked for a tool.', shape(CALL)),
  approval: event('approval', 'A call waits for an answer.', APPROVAL),
  output: event(
    'output',
    'A running command printed.',
    shape({ id: TEXT, stream: either('stdout', 'stderr'), chunk: TEXT }),
  ),
  result: event('result', 'A call has its result.', RESULT),
  recovered: event('recovered', 'An interrupted turn goes on.', shape({ calls: WHOLE, in_doubt: WHOLE })),
  done: event(
    'done',
    'The turn ended.',
    shape(
      {
        stop: either(...Object.keys(STOPS)),
        usage: shape({
          input_tokens: WHOLE,
          output_tokens: WHOLE,
          cached_tokens: WHOLE,
          cost: orNull('number'),
        }),
        changes: CHANGES,
        missing: TEXTS,
      },
      { cut: either('length', 'refused', 'other') },
    ),
  ),
  error: event('error', 'The turn could not go on.', shape({ code: TEXT, message: TEXT })),
}

/** The JSON Schema of one line of `tongs run --json`. */
export function eventsJsonSchema(): JsonObject {
  return {
    title: 'An event of tongs run --json',
    type: 'object',
    required: ['event'],
    properties: { event: either(...Object.keys(EVENTS)) },
    oneOf: Object.values(EVENTS),
  }
}

function shape(
  required: Readonly<Record<string, JsonObject>>,
  optional: Readonly<Record<string, JsonObject>> = {},
): JsonObject {
  return {
    type: 'object',
    required: Object.keys(required),
    properties: { ...required, ...optional },
  }
}

function event(name: EventName, says: string, { required, properties, ...rest }: JsonObject): JsonObject {
  return {
    title: name,
    description: says,
    ...rest,
    required: ['event', ...(Array.isArray(required) ? required : [])],
    properties: { event: { const: name }, ...(typeof properties === 'object' ? properties : {}) },
  }
}
