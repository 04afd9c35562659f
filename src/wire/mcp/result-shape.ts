import { Buffer } from 'node:buffer'
import { isPicture } from '../../core/attachment/attachment.ts'
import type { Attachment } from '../../core/attachment/attachment.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { ToolResult } from '../../core/result.ts'

/** A part of such an answer: text, a picture, or a document. */
export type McpBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource'
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string }
    }

/** The answer to a call as MCP has it. */
export interface McpCallResult {
  readonly content: readonly McpBlock[]
  readonly structuredContent?: JsonObject
  readonly isError?: boolean
  readonly _meta: JsonObject
}

/** Where the parts of our result lie that MCP has no field for. */
const RESULT_KEY = 'tongs/result'

/**
 * A result as MCP has it. What was returned is structured content; an error is not, because clients hold structured
 * content against the schema of a success.
 */
export function toMcpResult(result: ToolResult, contentOf: ContentOf = nothing): McpCallResult {
  const blocks = (result.attached ?? []).map((one) => blockFor(one, contentOf(one.sha256)))
  if (result.ok) {
    const { id: _id, content: text, result: structuredContent, ...about } = result
    return { content: [{ type: 'text', text }, ...blocks], _meta: metaOf(about), structuredContent }
  }
  const { id: _id, content, ...about } = result
  // The text is all that many clients show of an error, so it says what to do next.
  const advice = result.error.recovery.filter((hint) => !content.includes(hint))
  const text = [content, ...advice].join('\n')
  return { content: [{ type: 'text', text }, ...blocks], _meta: metaOf(about), isError: true }
}

function metaOf(about: object): JsonObject {
  return { [RESULT_KEY]: about as JsonObject }
}

/** The bytes of an attachment by their digest; null if they were erased. */
export type ContentOf = (sha256: string) => Uint8Array | null

const nothing: ContentOf = () => null

function blockFor({ type, sha256 }: Attachment, bytes: Uint8Array | null): McpBlock {
  if (bytes === null) return { type: 'text', text: '[Its content was erased.]' }
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  return isPicture(type)
    ? { type: 'image', data, mimeType: type }
    : { type: 'resource', resource: { uri: `tongs:attachment/${sha256}`, mimeType: type, blob: data } }
}
