import { placesOf } from '../../../core/text/secrets/places.ts'
import type { ToolCallContent } from '@agentclientprotocol/sdk'
import type { ApprovalRequest, LandingChange } from '../../../core/approval.ts'
import { describeSandbox } from '../../../terminal/approval-screen.ts'
import { oneLine, showPlace } from '../../../terminal/one-line.ts'
import { argumentsToShow } from '../../../terminal/show-arguments.ts'
import { spellOut } from '../../../terminal/spell-out.ts'
import type { CallFacts } from '../turns/describe-call.ts'
import { diffParts } from './diff-parts.ts'
import { literal, verbatim } from './verbatim.ts'

/** What would change, and then what there is to know before one says yes. */
export function contentOf(request: ApprovalRequest, { toAbsolute }: CallFacts): ToolCallContent[] {
  return [
    ...diffParts(request.diff ?? '', toAbsolute),
    { type: 'content', content: { type: 'text', text: factsOf(request).join('\n\n') } },
  ]
}

function factsOf(request: ApprovalRequest): readonly string[] {
  const { summary, risk, danger, why, rung, layer, note, changes, changes_total: total } = request
  return [
    // The words of a call are never drawn as Markdown, which could hide a part of them or fetch a picture.
    verbatim([spellOut(oneLine(summary, placesOf(request))), ...showArguments(request)]),
    verbatim(
      [
        `Risk: ${risk}${danger === null ? '' : `; ${danger}`}`,
        `Asked because: ${why}`,
        ...(note === undefined ? [] : [note]),
      ].map((row) => spellOut(oneLine(row, placesOf(request)))),
    ),
    ...(changes === undefined
      ? []
      : [
          `Would land${total === undefined ? '' : `, ${total} in all`}:\n\n${verbatim(changes.map(describeLanding))}`,
        ]),
    ...(rung === null ? [] : [`Confined by: ${literal(describeSandbox(request))}`]),
    ...(layer === undefined ? [] : [LAYERS[layer]]),
  ]
}

function describeLanding({ path, change, from }: LandingChange): string {
  return `${nameOf(path)} (${change}${from === undefined ? '' : `, moved from ${nameOf(from)}`})`
}

function nameOf(path: string): string {
  return spellOut(showPlace(path))
}

/** Every argument, whole: what the summary leaves out is shown nowhere else. */
function showArguments(request: ApprovalRequest): readonly string[] {
  const places = placesOf(request)
  return argumentsToShow(request).map((row) => spellOut(oneLine(row, places)))
}

const LAYERS = {
  overlay: 'What it changes lands at its end, and undo takes it back.',
  copy: 'What it changes lands at its end, and undo takes it back.',
  none: 'What it changes is in place at once, and undo cannot take it back.',
} as const
