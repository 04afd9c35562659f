/** One provider's way of saying the same thing. */
export interface ProviderStream {
  readonly model: string
  readonly key: string
  /** What follows the server's address in its base URL. */
  readonly path: string
  /** Thinks "Hmm, so", says "Looking.", calls read_file {"path":"a.txt"} with c1; 10 tokens in, 4 cached, 7 out. */
  readonly whole: readonly string[]
  /** The same up to the middle of the arguments. */
  readonly begun: readonly string[]
  /** Says "Hi" and no more. */
  readonly hello: readonly string[]
  /** What must be found in the next request if the reasoning was returned unchanged. */
  readonly returned: readonly unknown[]
}

const event = (data: { readonly type: string }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const at = (pieces: readonly string[], word: string): readonly string[] =>
  pieces.slice(0, pieces.findIndex((piece) => piece.includes(word)) + 1)

const START = event({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-test',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 6, cache_read_input_tokens: 4, cache_creation_input_tokens: 0, output_tokens: 1 },
  },
} as { type: string })
const block = (index: number, content_block: object): string =>
  event({ type: 'content_block_start', index, content_block } as { type: string })
const delta = (index: number, piece: object): string =>
  event({ type: 'content_block_delta', index, delta: piece } as { type: string })
const stop = (index: number): string => event({ type: 'content_block_stop', index } as { type: string })
const end = (stop_reason: string): readonly string[] => [
  event({
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: 7 },
  } as { type: string }),
  event({ type: 'message_stop' }),
]

const anthropicWhole = [
  START,
  block(0, { type: 'thinking', thinking: '', signature: '' }),
  delta(0, { type: 'thinking_delta', thinking: 'Hmm, ' }),
  event({ type: 'ping' }),
  delta(0, { type: 'thinking_delta', thinking: 'so' }),
  delta(0, { type: 'signature_delta', signature: 'sealed-by-a' }),
  stop(0),
  block(1, { type: 'redacted_thinking', data: 'hidden-by-a' }),
  stop(1),
  block(2, { type: 'text', text: '' }),
  delta(2, { type: 'text_delta', text: 'Look' }),
  delta(2, { type: 'text_delta', text: 'ing.' }),
  stop(2),
  block(3, { type: 'tool_use', id: 'c1', name: 'read_file', input: {} }),
  delta(3, { type: 'input_json_delta', partial_json: '{"pa' }),
  delta(3, { type: 'input_json_delta', partial_json: 'th":"a.txt"}' }),
  stop(3),
  ...end('tool_use'),
]

const reasoningItem = (encrypted_content: string, summary: readonly string[]): object => ({
  type: 'reasoning',
  id: 'rs_1',
  encrypted_content,
  summary: summary.map((text) => ({ type: 'summary_text', text })),
})
const message = (text: string): readonly string[] => [
  event({ type: 'response.output_item.added', output_index: 1, item: { type: 'message', id: 'm1' } } as {
    type: string
  }),
  event({ type: 'response.output_text.delta', item_id: 'm1', delta: text.slice(0, 4) } as { type: string }),
  ...(text.length > 4
    ? [event({ type: 'response.output_text.delta', item_id: 'm1', delta: text.slice(4) } as { type: string })]
    : []),
  event({ type: 'response.output_item.done', output_index: 1, item: { type: 'message', id: 'm1' } } as {
    type: string
  }),
]
const CREATED = event({
  type: 'response.created',
  response: { id: 'resp_1', created_at: 1, model: 'gpt-5' },
} as { type: string })
const COMPLETED = event({
  type: 'response.completed',
  response: {
    usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 7 },
  },
} as { type: string })
const summary = (index: number, text: string): readonly string[] => [
  event({ type: 'response.reasoning_summary_part.added', item_id: 'rs_1', summary_index: index } as {
    type: string
  }),
  event({
    type: 'response.reasoning_summary_text.delta',
    item_id: 'rs_1',
    summary_index: index,
    delta: text,
  } as { type: string }),
  event({ type: 'response.reasoning_summary_part.done', item_id: 'rs_1', summary_index: index } as {
    type: string
  }),
]
const callItem = (args: string): object => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: 'c1',
  name: 'read_file',
  arguments: args,
  status: 'completed',
})
const args = (text: string): string =>
  event({
    type: 'response.function_call_arguments.delta',
    item_id: 'fc_1',
    output_index: 2,
    delta: text,
  } as { type: string })

const openaiWhole = [
  CREATED,
  event({ type: 'response.output_item.added', output_index: 0, item: reasoningItem('', []) } as {
    type: string
  }),
  ...summary(0, 'Hmm, '),
  ...summary(1, 'so'),
  event({
    type: 'response.output_item.done',
    output_index: 0,
    item: reasoningItem('sealed-by-o', ['Hmm, ', 'so']),
  } as { type: string }),
  ...message('Looking.'),
  event({ type: 'response.output_item.added', output_index: 2, item: callItem('') } as { type: string }),
  args('{"pa'),
  args('th":"a.txt"}'),
  event({
    type: 'response.output_item.done',
    output_index: 2,
    item: callItem('{"path":"a.txt"}'),
  } as { type: string }),
  COMPLETED,
]

const candidate = (parts: readonly object[], more: object = {}): string =>
  data({ candidates: [{ content: { role: 'model', parts }, ...more }] })
const GOOGLE_END = data({
  candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
  usageMetadata: {
    promptTokenCount: 10,
    cachedContentTokenCount: 4,
    candidatesTokenCount: 7,
    totalTokenCount: 17,
  },
})
const googleWhole = [
  candidate([{ text: 'Hmm, ', thought: true }]),
  candidate([{ text: 'so', thought: true }]),
  candidate([{ text: 'Look' }]),
  candidate([{ text: 'ing.', thoughtSignature: 'text-sealed-by-g' }]),
  candidate([
    {
      functionCall: { id: 'c1', name: 'read_file', args: { path: 'a.txt' } },
      thoughtSignature: 'call-sealed-by-g',
    },
  ]),
  GOOGLE_END,
]

const chunk = (piece: object, finish_reason: string | null = null): string =>
  data({ id: 'x', created: 1, model: 'm', choices: [{ index: 0, delta: piece, finish_reason }] })
const call = (piece: object): string => chunk({ tool_calls: [{ index: 0, ...piece }] })
const USAGE = data({
  id: 'x',
  created: 1,
  model: 'm',
  choices: [],
  usage: { prompt_tokens: 10, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 4 } },
})
const DONE = 'data: [DONE]\n\n'
const compatibleWhole = [
  chunk({ role: 'assistant', reasoning_content: 'Hmm, ' }),
  chunk({ reasoning_content: 'so' }),
  chunk({ content: 'Look' }),
  chunk({ content: 'ing.' }),
  call({ id: 'c1', type: 'function', function: { name: 'read_file', arguments: '' } }),
  call({ function: { arguments: '{"pa' } }),
  call({ function: { arguments: 'th":"a.txt"}' } }),
  chunk({}, 'tool_calls'),
  USAGE,
  DONE,
]

/** The four providers. */
export const PROVIDER_STREAMS: readonly ProviderStream[] = [
  {
    model: 'anthropic/claude-sonnet-4-5',
    key: 'ANTHROPIC_API_KEY',
    path: '/v1',
    whole: anthropicWhole,
    begun: at(anthropicWhole, String.raw`{\"pa`),
    hello: [
      START,
      block(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'Hi' }),
      stop(0),
      ...end('end_turn'),
    ],
    returned: [
      { type: 'thinking', thinking: 'Hmm, so', signature: 'sealed-by-a' },
      { type: 'redacted_thinking', data: 'hidden-by-a' },
    ],
  },
  {
    model: 'openai/gpt-5',
    key: 'OPENAI_API_KEY',
    path: '/v1',
    whole: openaiWhole,
    begun: at(openaiWhole, String.raw`{\"pa`),
    hello: [CREATED, ...message('Hi'), COMPLETED],
    returned: [reasoningItem('sealed-by-o', ['Hmm, ', 'so'])],
  },
  {
    model: 'google/gemini-3-pro',
    key: 'GEMINI_API_KEY',
    path: '/v1beta',
    whole: googleWhole,
    begun: googleWhole.slice(0, 4),
    hello: [candidate([{ text: 'Hi' }]), GOOGLE_END],
    returned: [{ text: 'Looking.', thoughtSignature: 'text-sealed-by-g' }, expectCall('call-sealed-by-g')],
  },
  {
    model: 'compatible/llama',
    key: 'COMPATIBLE_API_KEY',
    path: '/v1',
    whole: compatibleWhole,
    begun: at(compatibleWhole, String.raw`{\"pa`),
    hello: [chunk({ content: 'Hi' }), chunk({}, 'stop'), USAGE, DONE],
    returned: [],
  },
]

function expectCall(thoughtSignature: string): object {
  return { functionCall: { id: 'c1', name: 'read_file', args: { path: 'a.txt' } }, thoughtSignature }
}
