import { showPath } from '../../core/text/display/show-path.ts'
import { chooseOfEach } from '../../core/text/choose-of-each.ts'
import { shellWord } from '../../core/command/shell-word.ts'
import { describeCut } from '../../agent/events.ts'
import type { OfDelegate, TurnEvent, Usage } from '../../agent/events.ts'
import { describeFailedCommand } from '../../core/result.ts'
import type { HiddenPart } from '../../core/result.ts'
import { safe, safeWords } from './terminal.ts'
import type { Terminal } from './terminal.ts'

const ARGUMENT_CHARS = 120
/** More changed files than this are only counted. */
const FILES_NAMED = 12

/** Prints a turn line by line as it happens. */
export function createTurnView(session: string, terminal: Terminal) {
  let unfinished = ''

  /** Text comes in pieces; only complete lines are printed. */
  function write(text: string): void {
    const lines = (unfinished + text).split('\n')
    unfinished = lines.pop() ?? ''
    for (const line of lines) terminal.print(safe(line))
  }

  function endLine(): void {
    if (unfinished !== '') terminal.print(safe(unfinished))
    unfinished = ''
  }

  return (event: TurnEvent): void => {
    if (event.event === 'text') {
      // The incomplete line was not printed yet; earlier lines were, and the retry message says so.
      if (event.starts_over === true) unfinished = ''
      if (event.another === true) endLine()
      write(event.text)
      return
    }
    endLine()
    switch (event.event) {
      case 'turn':
        return
      case 'call':
        terminal.print(
          terminal.paint(
            'dim',
            `${nested(event)}• ${safeWords(`${event.name} ${JSON.stringify(event.args).slice(0, ARGUMENT_CHARS)}`)}`,
          ),
        )
        return
      case 'output':
        terminal.print(terminal.paint('dim', safe(event.chunk.replace(/\n$/, ''))))
        return
      case 'result':
        terminal.print(`${nested(event)}${showOutcome(event, terminal)}`)
        for (const part of event.hidden ?? []) terminal.warn(`tongs: ${describeHidden(part)}`)
        return
      case 'approval':
        terminal.print(safeWords(`? ${event.summary} (risk ${event.risk}): tongs approve ${event.id}`))
        return
      case 'recovered':
        terminal.warn(
          `tongs: continuing after an interruption: ${event.calls} calls resolved, ${event.in_doubt} in doubt`,
        )
        return
      case 'error':
        terminal.warn(`tongs: ${event.message}`)
        return
      case 'done':
        for (const line of summarize(event, session)) terminal.warn(line)
    }
  }
}

/** What a delegated conversation does stands below the call that it belongs to. */
function nested({ delegate }: OfDelegate): string {
  return delegate === undefined ? '' : '    '
}

/** A held call is shown with its id, which is needed to supply its result. */
function showOutcome(result: Extract<TurnEvent, { event: 'result' }>, terminal: Terminal): string {
  const name = safeWords(result.name)
  const failing = describeFailedCommand(result)
  if (failing !== null) return `${terminal.paint('yellow', `✗ ${name}`)} ${safeWords(failing)}`
  if (result.ok) return terminal.paint('green', `✓ ${name}`)
  const reason = safeWords(result.content.split('\n')[0] ?? '')
  if (result.error.code === 'held')
    return `${terminal.paint('yellow', `• ${name} ${safeWords(result.id)}`)} ${reason}`
  return `${terminal.paint('red', `✗ ${name}`)} ${reason}`
}

/** What the model was not given, and where it is. */
function describeHidden({ file, line, kind, characters }: HiddenPart): string {
  const place = file === null ? `line ${line} of the result` : `${safeWords(file)}:${line}`
  return `hidden from the model: ${place}, ${kind}, ${characters} characters`
}

function summarize(
  { stop, cut, usage, changes }: Extract<TurnEvent, { event: 'done' }>,
  session: string,
): readonly string[] {
  const files = chooseOfEach(changes, FILES_NAMED, ({ change }) => change).map(({ path }) =>
    safeWords(showPath(path)),
  )
  const more = changes.length - files.length
  return [
    ...(stop === 'end' ? [] : [`tongs: stopped: ${stop}${STOP_HINTS[stop] ?? ''}`]),
    ...(cut === undefined ? [] : [`tongs: ${describeCut(cut)}`]),
    ...(files.length === 0
      ? []
      : [
          `tongs: changed ${files.join(', ')}${more === 0 ? '' : ` and ${more} more`}; tongs undo --turn --session ${shellWord(session)} undoes it`,
        ]),
    ...(usage.input_tokens + usage.output_tokens === 0 ? [] : [`tongs: ${describeUsage(usage)}`]),
  ]
}

const STOP_HINTS: Readonly<Record<string, string>> = {
  approval_pending: '; answer with tongs approve or tongs deny, then tongs run --continue',
  held: '; supply each result with tongs run --continue "/tool ID RESULT" or "/tool error ID TEXT"',
  budget: '; continue with tongs run --continue "go on", with a larger budget if needed',
  max_iterations: '; continue with tongs run --continue "go on"',
}

function describeUsage({
  input_tokens: input,
  output_tokens: output,
  cached_tokens: cached,
  cost,
}: Usage): string {
  const price = cost === null ? '' : `, cost ${cost.toFixed(4)}`
  return `${input} tokens in (${cached} cached), ${output} out${price}`
}
