import { sanitise } from '../core/text/display/sanitise.ts'
import { breakWords, columnsOf, truncateEnd } from '../terminal/fit-rows.ts'
import { createFilter, namedChoice } from './setup-dialogs.ts'
import type { Choice, ChoiceQuestion, SetupDialogs } from './setup-dialogs.ts'

/** A terminal that is asked line by line. */
export interface LineTerminal {
  readonly columns: () => number
  readonly print: (row: string) => void
  /** The typed line; null at the end of input, or if the person stops. */
  readonly ask: (prompt: string, isSecret: boolean) => Promise<string | null>
  /** Aborts if the person stops; read for each wait. */
  readonly signal: AbortSignal
}

const MOST_SHOWN = 12
const BACK = '0'

/** The dialogs of setup as numbered lists and typed lines; they need no colours, and no more than a few columns. */
export function createSetupLines(terminal: LineTerminal): SetupDialogs {
  const { print } = terminal
  const width = (): number => Math.max(12, terminal.columns() - 1)
  const say = (text: string, margin = ''): void => {
    for (const row of breakWords(sanitise(text, { oneLine: true }), width() - margin.length))
      print(margin + row)
  }
  const head = (title: string, rows: readonly string[] = []): void => {
    print('')
    for (const row of rows) say(row)
    say(title)
  }

  function list(choices: readonly Choice<unknown>[]): void {
    const shown = choices.slice(0, MOST_SHOWN)
    for (const [index, { label, note }] of shown.entries()) {
      const number = `${String(index + 1).padStart(3)} `
      const text = sanitise(label, { oneLine: true })
      const more = note === undefined ? '' : ` (${sanitise(note, { oneLine: true })})`
      const isOneRow = columnsOf(number + text + more) <= width()
      print(truncateEnd(number + text + (isOneRow ? more : ''), width()))
      if (!isOneRow && more !== '') print(truncateEnd(`   ${more}`, width()))
    }
    const left = choices.length - shown.length
    if (left > 0) say(`… and ${left} more: type a part of the name`, '    ')
  }

  async function choose<T>(question: ChoiceQuestion<T>): Promise<T | null> {
    head(question.title, question.rows)
    const find = createFilter(question)
    let offered = question.choices
    list(offered)
    for (;;) {
      say(`Type a number or part of a name; Enter is 1, ${BACK} is back.`)
      const typed = (await terminal.ask('> ', false))?.trim()
      if (typed === undefined || typed === BACK) return null
      const at = typed === '' ? 0 : /^\d{1,3}$/.test(typed) ? Number(typed) - 1 : -1
      const numbered = at < Math.min(offered.length, MOST_SHOWN) ? offered[at] : undefined
      const taken = numbered ?? namedChoice(question.choices, typed)
      if (taken !== null) return taken.value
      const matching = find(typed)
      const [only] = matching
      if (matching.length === 1 && only !== undefined) return only.value
      const other = matching.length === 0 ? (question.other?.(typed) ?? null) : null
      if (other !== null) return other
      if (matching.length === 0) say('Nothing matches that.')
      offered = matching.length === 0 ? question.choices : matching
      list(offered)
    }
  }

  return {
    choose,
    async type({ title, rows, isSecret = false }) {
      head(title, rows)
      return terminal.ask('> ', isSecret)
    },
    async during(what, work) {
      say(what)
      const { signal } = terminal
      try {
        signal.throwIfAborted()
        const result = await work(signal)
        return signal.aborted ? null : result
      } catch (thrown) {
        if (signal.aborted) return null
        throw thrown
      }
    },
  }
}
