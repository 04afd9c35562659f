import { parsePrompt } from '../prompt-files/parse-prompt.ts'
import type { Role } from './role.ts'

/** What the file of a role says. */
export type ParsedRole =
  | ({ readonly ok: true } & Pick<Role, 'description' | 'tools' | 'model' | 'text'>)
  | { readonly ok: false; readonly why: string }

const TOOL = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/
/** A provider and a name, without anything that could be an address of its own. */
const MODEL = /^[\w.-]+[/:][\w./:@-]{1,200}$/

/** Reads the file of a role: a front matter with the tools and the model it may have, then its instructions. */
export function parseRole(bytes: Uint8Array): ParsedRole {
  const parsed = parsePrompt(bytes, ['tools', 'model'], true)
  if (!parsed.ok) return parsed
  const { description, values, text } = parsed
  const tools = values.get('tools')
  const model = values.get('model') ?? ''
  const names = tools === undefined ? null : readNames(tools)
  const odd = names?.find((name) => !TOOL.test(name))
  if (odd !== undefined)
    return { ok: false, why: `tools names ${JSON.stringify(odd)}, which is not the name of a tool` }
  if (model !== '' && !MODEL.test(model))
    return { ok: false, why: 'model is not a name such as provider/name' }
  return { ok: true, description, tools: names, model: model === '' ? null : model, text }
}

/** Names with commas between them, with or without brackets. */
function readNames(value: string): readonly string[] {
  return value
    .replace(/^\[(.*)\]$/, '$1')
    .split(',')
    .map((name) => name.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .filter((name) => name !== '')
}
