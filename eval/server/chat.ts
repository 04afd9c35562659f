/** A call as the model wrote it; the arguments stay text, because a model can get them wrong. */
export interface Call {
  readonly id: string
  readonly name: string
  readonly args: string
}

/** One message of the model. */
export interface Answer {
  readonly text: string
  readonly calls: readonly Call[]
}

const BYTES_PER_TOKEN = 4

/** The same count for every runner, whatever its provider would charge. */
export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN)
}

/** The bytes of an answer: its text, and the names and arguments of its calls. */
export function bytesOf({ text, calls }: Answer): number {
  return Buffer.byteLength(text + calls.map(({ name, args }) => name + args).join(''))
}

/** An answer as the stream of OpenAI's chat completions. */
export function streamOf(answer: Answer, requestBytes: number): string {
  const finish = answer.calls.length > 0 ? 'tool_calls' : 'stop'
  const deltas = [
    { role: 'assistant', content: answer.text },
    ...answer.calls.map(({ id, name, args }, index) => ({
      tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }],
    })),
  ]
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    { choices: [], usage: usageOf(answer, requestBytes) },
  ]
  const lines = chunks.map((chunk) => JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', ...chunk }))
  return [...lines, '[DONE]'].map((line) => `data: ${line}\n\n`).join('')
}

/** An answer as one object, for a client that does not stream. */
export function objectOf(answer: Answer, requestBytes: number): string {
  const calls = answer.calls.map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }))
  const message = {
    role: 'assistant',
    content: answer.text,
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  const choice = { index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }
  return JSON.stringify({
    ...HEAD,
    object: 'chat.completion',
    choices: [choice],
    usage: usageOf(answer, requestBytes),
  })
}

interface Chunk {
  readonly choices?: readonly {
    readonly delta?: {
      readonly content?: string | null
      readonly tool_calls?: readonly {
        readonly index: number
        readonly id?: string
        readonly function?: { readonly name?: string; readonly arguments?: string }
      }[]
    }
  }[]
}

/** Puts the answer together again that a provider streamed as chat completions. */
export function answerIn(stream: string): Answer {
  let text = ''
  const calls: { id: string; name: string; args: string }[] = []
  for (const [, line = ''] of stream.matchAll(/^data: (\{.*)$/gm)) {
    const delta = (JSON.parse(line) as Chunk).choices?.[0]?.delta
    text += delta?.content ?? ''
    for (const part of delta?.tool_calls ?? []) {
      const call = (calls[part.index] ??= { id: '', name: '', args: '' })
      call.id ||= part.id ?? ''
      call.name += part.function?.name ?? ''
      call.args += part.function?.arguments ?? ''
    }
  }
  return { text, calls: calls.filter(({ name }) => name !== '') }
}

const HEAD = { id: 'eval', created: 0, model: 'eval' }

function usageOf(answer: Answer, requestBytes: number) {
  const [prompt_tokens, completion_tokens] = [tokensOf(requestBytes), tokensOf(bytesOf(answer))]
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}
