import type { ContentBlock, EmbeddedResourceResource } from '@agentclientprotocol/sdk'

/** A prompt as the model is given it. */
export interface PromptText {
  readonly text: string
  /** What of it the model cannot be shown, each as a sentence. */
  readonly unseen: readonly string[]
}

/** Turns the blocks of a prompt into text. What is not text is named, so that the model can ask for it. */
export function readPrompt(blocks: readonly ContentBlock[]): PromptText {
  const unseen: string[] = []
  const parts = blocks.map((block) => {
    const { text, lacks } = readBlock(block)
    if (lacks !== null) unseen.push(lacks)
    return text
  })
  // Editors split a line where it mentions a file.
  return { text: parts.join('').trim(), unseen }
}

interface ReadBlock {
  readonly text: string
  readonly lacks: string | null
}

function readBlock(block: ContentBlock): ReadBlock {
  switch (block.type) {
    case 'text':
      return seen(block.text)
    case 'resource_link':
      return seen(`[${oneLine(block.title ?? block.name)}](${oneLine(block.uri)})`)
    case 'resource':
      return readResource(block.resource)
    case 'image':
      return unshown('image', block.mimeType, block.data)
    case 'audio':
      return unshown('recording', block.mimeType, block.data)
  }
}

/** What a person attached is data, and says where it comes from. */
function readResource(resource: EmbeddedResourceResource): ReadBlock {
  if (!('text' in resource))
    return unshown('file', resource.mimeType ?? 'binary', resource.blob, resource.uri)
  const fence = fenceFor(resource.text)
  const end = resource.text.endsWith('\n') ? '' : '\n'
  return seen(`\n${oneLine(resource.uri)}:\n${fence}\n${resource.text}${end}${fence}\n`)
}

function seen(text: string): ReadBlock {
  return { text, lacks: null }
}

function unshown(what: string, type: string, base64: string, uri: string | null = null): ReadBlock {
  const bytes = Math.floor((base64.length * 3) / 4)
  const name = uri === null ? '' : ` ${oneLine(uri)}`
  const facts = `${what}${name} (${oneLine(type)}, ${bytes} bytes)`
  return {
    text: `[The user attached something that you cannot see: ${facts}.]`,
    lacks: `The attached ${facts} was not shown to the model, which is given text only.`,
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
