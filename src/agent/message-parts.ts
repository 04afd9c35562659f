import type { AssistantPart } from '../model/model-client.ts'

/** The parts with neighbouring pieces of text put together. */
export function joinParts(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const joined: AssistantPart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.type === 'text' && last?.type === 'text')
      joined[joined.length - 1] = { type: 'text', text: last.text + part.text }
    else joined.push(part)
  }
  return joined
}

/** What was said in them, as one text. */
export function textOf(parts: readonly AssistantPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}
