import { Buffer } from 'node:buffer'
import type { ContentBlock, EmbeddedResourceResource } from '@agentclientprotocol/sdk'
import { describeAttachment, explainTooLarge } from '../../core/attachment/attachment.ts'
import type { AttachmentLimits } from '../../core/attachment/attachment.ts'
import { recognizeAttachment } from '../../core/attachment/recognize.ts'

/** A prompt as the model is given it. */
export interface PromptText {
  readonly text: string
  /** What of it the model cannot be shown, each as a sentence. */
  readonly unseen: readonly string[]
  /** The pictures and documents that come with it. */
  readonly attached: readonly Uint8Array[]
}

/** Turns the blocks of a prompt into text. What is not text is named, so that the model can ask for it. */
export function readPrompt(blocks: readonly ContentBlock[], limits: AttachmentLimits): PromptText {
  const unseen: string[] = []
  const attached: Uint8Array[] = []
  const parts = blocks.map((block) => {
    const { text, lacks, shown } = readBlock(block, limits)
    if (lacks !== null) unseen.push(lacks)
    if (shown !== undefined) attached.push(shown)
    return text
  })
  // Editors split a line where it mentions a file.
  return { text: parts.join('').trim(), unseen, attached }
}

interface ReadBlock {
  readonly text: string
  readonly lacks: string | null
  readonly shown?: Uint8Array
}

function readBlock(block: ContentBlock, limits: AttachmentLimits): ReadBlock {
  switch (block.type) {
    case 'text':
      return seen(block.text)
    case 'resource_link':
      return seen(`[${oneLine(block.title ?? block.name)}](${oneLine(block.uri)})`)
    case 'resource':
      return readResource(block.resource, limits)
    case 'image':
      return readBytes('image', block.mimeType, { base64: block.data, uri: block.uri ?? null }, limits)
    case 'audio':
      return unshown('recording', block.mimeType, block.data)
  }
}

/** What a person attached is data, and says where it comes from. */
function readResource(resource: EmbeddedResourceResource, limits: AttachmentLimits): ReadBlock {
  if (!('text' in resource)) {
    const { blob: base64, uri, mimeType } = resource
    return readBytes('file', mimeType ?? 'binary', { base64, uri }, limits)
  }
  const fence = fenceFor(resource.text)
  const end = resource.text.endsWith('\n') ? '' : '\n'
  return seen(`\n${oneLine(resource.uri)}:\n${fence}\n${resource.text}${end}${fence}\n`)
}

function seen(text: string): ReadBlock {
  return { text, lacks: null }
}

/** A picture or PDF by its content, whatever type it is said to have. */
function readBytes(
  what: string,
  type: string,
  { base64, uri }: { readonly base64: string; readonly uri: string | null },
  limits: AttachmentLimits,
): ReadBlock {
  // Four characters are three bytes: what is too long is not decoded.
  const bytes = base64.length / 4 > limits.maxBytes ? new Uint8Array() : Buffer.from(base64, 'base64')
  const found = recognizeAttachment(bytes)
  if (found === null) return unshown(what, type, base64, uri)
  const about = { ...found, bytes: bytes.length }
  const fault = explainTooLarge(about, limits)
  const name = uri === null ? '' : ` ${oneLine(uri)}`
  if (fault === null)
    return { text: `[Attached${name}: ${describeAttachment(about)}.]`, lacks: null, shown: bytes }
  return {
    text: `[The user attached something that you cannot see: ${describeAttachment(about)}.]`,
    lacks: `The attached ${describeAttachment(about)}, was not shown to the model: ${fault.why}.`,
  }
}

function unshown(what: string, type: string, base64: string, uri: string | null = null): ReadBlock {
  const bytes = Math.floor((base64.length * 3) / 4)
  const name = uri === null ? '' : ` ${oneLine(uri)}`
  const facts = `${what}${name} (${oneLine(type)}, ${bytes} bytes)`
  return {
    text: `[The user attached something that you cannot see: ${facts}.]`,
    lacks: `The attached ${facts} was not shown to the model, which is given text, pictures and PDFs.`,
  }
}

/** A fence that the text does not contain. */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length))
  return '`'.repeat(longest + 1)
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
