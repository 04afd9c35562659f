import { quotePath } from '../../core/text/display/show-path.ts'
import { failure } from '../../core/error.ts'
import { array, integer, object, oneOf, optional, string } from '../../schema/schema.ts'
import type { Infer } from '../../schema/schema.ts'
import { defineTool } from '../define/define-tool.ts'

const input = object(
  {
    task: string('All it needs to know: it sees nothing of this conversation', {
      minLength: 1,
      maxLength: 65_536,
    }),
    role: optional(string('A role that the user has defined', { minLength: 1, maxLength: 256 })),
    tools: optional(array(string('A tool'), 'Its tools, at most yours; all of them if absent')),
    max_requests: optional(integer('How often its model may be asked', { minimum: 1 })),
    max_tokens: optional(integer('How many tokens it may use', { minimum: 1 })),
    max_seconds: optional(integer('How long it may take', { minimum: 1 })),
  },
  'A piece of work',
)

const output = object(
  {
    text: string('Its last message'),
    stop: oneOf(['end', 'budget', 'max_iterations', 'cut'], 'Why it stopped'),
    calls: integer('How many calls it made', { minimum: 0 }),
    requests: integer('How often its model was asked', { minimum: 0 }),
    tokens: integer('How many tokens it used', { minimum: 0 }),
    changes: array(
      object(
        {
          path: string('Relative to the root'),
          change: oneOf(['created', 'modified', 'deleted'], 'What happened to it'),
        },
        'A file',
      ),
      'The files that its calls changed',
    ),
  },
  'What came of it',
)

type Result = Infer<typeof output>

const STOPS: Readonly<Record<Exclude<Result['stop'], 'end'>, string>> = {
  budget: 'It was stopped before it was done: its budget is used up.',
  max_iterations: 'It was stopped before it was done: it has had its rounds of calls.',
  cut: 'Its last message broke off.',
}

/** Hands a piece of work to a conversation of its own, and returns what that says at the end. */
export const delegate = defineTool({
  name: 'delegate',
  version: '1.0.0',
  description: 'Let a conversation of its own do a piece of the work; you get its last message',
  // It does nothing by itself: whatever its conversation does are calls of their own.
  effect: 'read',
  // Its conversation is given the notes of the workspace; what its tools need is judged with their calls.
  capabilities: ['filesystem.read'],
  limits: { timeout: 'conversation' },
  converses: true,
  input,
  output,
  rare: ['max_requests', 'max_tokens', 'max_seconds'],
  // Repeating it after a failure would begin another conversation.
  idempotent: false,
  repeatable: true,
  summary: ({ task, role }) => `Delegate${role === undefined ? '' : ` to ${role}`}: ${task}`,
  present: { text: describeWork, mayTruncate: true },
  run: async (_args, { converse }): Promise<Result> => {
    if (converse === undefined) throw failure('not_allowed', 'delegate was handed no conversation.')
    const { changes, ...work } = await converse()
    return { ...work, changes: changes.map(({ path, change }) => ({ path, change })) }
  },
})

function describeWork({ text, stop, changes }: Result): string {
  const files = changes.map(({ path, change }) => `${change} ${quotePath(path)}`)
  return [
    ...(text === '' ? [] : [text]),
    ...(stop === 'end' ? [] : [`[${STOPS[stop]}]`]),
    ...(files.length === 0 ? [] : [`[Files: ${files.join(', ')}]`]),
  ].join('\n\n')
}
