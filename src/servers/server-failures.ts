import { failure } from '../core/error.ts'
import type { ToolFailure } from '../core/error.ts'
import { showPath } from '../core/text/display/show-path.ts'
import { unifiedDiff } from '../core/text/unified-diff.ts'
import type { Definition } from './definition.ts'
import { showDefinition } from './show-definition.ts'
import { trimEndOf } from '../core/text/trim-end.ts'

/** There is no telling what the server has read, so its answer is not shown. */
export function sawTooMuch(name: string, path: string): ToolFailure {
  const shown = showPath(path)
  return failure(
    'execution_failed',
    `${shown} was saved or created by another process while the MCP server ${name} worked on the call, so the server may have read a hidden file. Its answer is dropped; what it did is kept.`,
    { server: name, path: shown },
    ['It is started again before the next call, without that file.'],
  )
}

/** The server no longer describes a tool as it was trusted. */
export function definitionChanged(name: string, pinned: Definition, now: Definition | null): ToolFailure {
  const what =
    now === null
      ? `no longer has the tool ${pinned.name}, or no longer describes it in a usable way`
      : `has changed the definition of ${pinned.name} since you trusted it`
  const diff =
    now === null
      ? ''
      : `\n${unifiedDiff({ path: pinned.name, before: showDefinition(pinned), after: showDefinition(now) })}`
  return failure('not_allowed', `The MCP server ${name} ${what}.${diff}`, { server: name }, [
    `Ask the user to read it and to run: tongs mcp trust ${name}`,
  ])
}

/** The server may have done what it was asked before its answer was lost. */
export function inDoubt({ error: { message, details, recovery } }: ToolFailure): ToolFailure {
  return failure(
    'in_doubt',
    `${trimEndOf(message, '. \t\r\n')}. Whether the call took effect is unknown.`,
    { ...details, effects: 'unknown' },
    ['Check whether it took effect before it is repeated.', ...recovery],
  )
}
