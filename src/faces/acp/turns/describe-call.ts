import { showPath } from '../../../core/text/display/show-path.ts'
import { elideMiddle } from '../../../core/text/truncate.ts'
import { literal } from '../questions/verbatim.ts'
import type { ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk'
import { isAbsolute, resolve } from 'node:path'
import type { JsonObject } from '../../../core/json/value.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { headline } from '../../../terminal/call-headline.ts'
import { kindOf, locationsOf } from '../../../wire/acp/tool-shape.ts'

/** What describing calls needs to know about their root. */
export interface CallFacts {
  readonly effectOf: (tool: string) => string | null
  /** Editors name files by absolute paths. */
  readonly toAbsolute: (path: string) => string
}

/** The facts about the calls of a runtime. */
export function callFactsOf({ root, definitions }: Pick<Runtime, 'root' | 'definitions'>): CallFacts {
  let effects: ReadonlyMap<string, string> | null = null
  return {
    effectOf(tool) {
      effects ??= new Map(definitions().map(({ name, effect }) => [name, effect]))
      return effects.get(tool) ?? null
    },
    toAbsolute: (path) => (isAbsolute(path) ? path : resolve(root, path)),
  }
}

/** A call in the form in which an editor shows it. */
export function describeCall(
  name: string,
  args: JsonObject,
  { effectOf, toAbsolute }: CallFacts,
): {
  readonly title: string
  readonly name: string
  readonly kind: ToolKind
  readonly locations: ToolCallLocation[]
} {
  const toPlace = (path: string): string | null => (path.startsWith('tongs:') ? null : toAbsolute(path))
  return {
    title: titleOf(name, headline({ args })),
    name,
    kind: kindOf(name, effectOf(name)),
    locations: [...locationsOf(args, toPlace)],
  }
}

/** What an editor writes above a call, as Markdown: the tool, then its words as they are. */
function titleOf(name: string, words: string): string {
  const tool = elideMiddle(showPath(name), TOOL_CHARS)
  return `${literal(tool)} ${words === '' ? '' : literal(words)}`.trim()
}

const TOOL_CHARS = 80
