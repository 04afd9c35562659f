import type { ApprovalAnswer, ApprovalRequest } from '../../../core/approval.ts'
import { showPath } from '../../../core/text/display/show-path.ts'
import { barRows, drawRequest, isAboutResults, widthOf } from '../../../terminal/approval-screen.ts'
import type { RequestPlace, Surface } from '../../../terminal/approval-screen.ts'
import { createSetupLines } from '../../../setup/setup-lines.ts'
import { breakWords } from '../../../terminal/fit-rows.ts'
import { oneLine } from '../../../terminal/one-line.ts'
import { drawScopes, readGrantAnswer } from '../../../terminal/grant-choices.ts'
import { choosableHunks, readHunkList } from '../../../terminal/hunk-choice.ts'
import type { Dialogs, AskingHere } from '../sheets/dialogs.ts'
import { plainLine } from '../draw/canvas.ts'
import { SAID_CHARS, STATUS_WORDS, WHOLE } from '../sheets/recovery-sheet.ts'
import { readTypedAnswer } from '../sheets/typed-answer.ts'
import type { TypedLines } from './typed-lines.ts'

/** Dialogs as plain lines, for simple terminals. */
export function createLineDialogs(
  lines: TypedLines,
  print: (text: string) => void,
  surface: () => Surface,
  interrupted: () => AbortSignal,
): Dialogs {
  /** Text of Tongs, wrapped between words. */
  const say = (text: string): void => {
    for (const row of breakWords(text, widthOf(surface()))) print(row)
  }

  const show = (request: ApprovalRequest, place: RequestPlace): void =>
    print(drawRequest(request, place, { ...surface(), hasLineNumbers: true }).text.trimEnd())

  /**
   * A line that came alone: of several at once, as in pasted text, none was meant as an answer. What comes with a line
   * does not answer the next question either.
   */
  async function readAnswer(prompt: string, signal?: AbortSignal): Promise<string | null> {
    for (;;) {
      const line = await lines.next(prompt, signal)
      if (line === null) return null
      const hadMore = await lines.settle()
      if (signal?.aborted === true) return null
      if (!hadMore) return line
      say('Several lines came at once, so none of them counts.')
    }
  }

  async function approveOne(
    request: ApprovalRequest,
    place: Pick<RequestPlace, 'number' | 'count'>,
    { signal, grantSeconds }: AskingHere,
  ): Promise<ApprovalAnswer | 'later' | 'cancel'> {
    // High-risk calls have to be seen in full.
    show(request, { ...place, isWhole: request.risk === 'High' })
    for (const row of drawScopes(request, grantSeconds, surface()))
      print(row.replaceAll(/\b([tg]1)…/g, '$1 to '))
    for (;;) {
      say(choicesFor(request))
      const line = await readAnswer('? ', signal)
      if (line === null) return 'later'
      const grant = readGrantAnswer(line, request, grantSeconds)
      if (grant !== null) return grant
      const typed = readTypedAnswer(line)
      if (typed?.is === 'no') return { answer: 'deny', say: typed.say }
      const key = typed?.is === 'key' ? typed.key : line.trim()
      const list = typed?.is === 'hunks' ? typed.list : key === 's' || key === 'h' ? '' : null
      if (list !== null && choosableHunks(request) > 0) {
        const read = readHunkList(list, request)
        if (read.ok) return read.answer
        say(read.why)
        continue
      }
      if (key === 'o') return 'once'
      // There is one question, so that none of them is a no to it.
      if (key === 'd' || key === 'n') return 'deny'
      if (key === 'l') return 'later'
      if (key === 'c') return 'cancel'
      if (key === 'f') show(request, { ...place, isWhole: true })
      else print('That is not one of the choices.')
    }
  }

  return {
    async approval(requests, asking, cancel) {
      const answers: ApprovalAnswer[] = []
      for (const [index, request] of requests.entries()) {
        // What was typed before a question was printed is no answer to it.
        await lines.settle()
        if (asking.signal.aborted) return 'later'
        const answer = await approveOne(request, { number: index + 1, count: requests.length }, asking)
        if (answer === 'later') return 'later'
        if (answer === 'cancel') {
          cancel()
          return 'later'
        }
        answers.push(answer)
      }
      return answers
    },
    setup: createSetupLines({
      columns: () => surface().columns,
      print,
      ask: async (prompt, isSecret) => {
        await lines.settle()
        return isSecret ? lines.nextUnseen(prompt) : lines.next(prompt)
      },
      get signal() {
        return interrupted()
      },
    }),
    async confirmation({ title, rows }) {
      await lines.settle()
      for (const row of [title, ...rows]) print(row)
      return /^y(es)?$/i.test(((await readAnswer('y or n? ')) ?? '').trim())
    },
    async recovery({ text, calls, edits }) {
      await lines.settle()
      say('Something was interrupted here. Nothing is run again; this is what the evidence says:')
      if (edits !== null) say(plainLine(edits.says))
      if (text !== null) {
        say('The model had said:')
        for (const row of barRows(oneLine(text.slice(-SAID_CHARS)), WHOLE, surface()).rows) print(row)
      }
      for (const { name, status, evidence } of calls)
        say(`${STATUS_WORDS[status]}: ${showPath(name)}: ${plainLine(evidence)}`)
      say('r = resume with what finished, d = discard all of it, anything else leaves it')
      const line = await readAnswer('? ')
      if (line?.trim() === 'r') return 'resume'
      return line?.trim() === 'd' ? 'discard' : null
    },
  }
}

function choicesFor(request: ApprovalRequest): string {
  const some = choosableHunks(request) === 0 ? '' : ' s 1 3-5 = only these hunks,'
  const answers = isAboutResults([request])
    ? 'o = unchanged, d = remove the secrets'
    : request.kind === 'landing'
      ? `o = land it,${some} d WORDS = discard it, l = later`
      : `o = once,${some} d WORDS = deny, l = later`
  return `${answers}, c = cancel, f = show in full`
}
