import type { ApprovalAnswer, ApprovalRequest, Asking } from '../../../core/approval.ts'
import { drawRequest } from '../../../terminal/approval-screen.ts'
import type { Askers } from '../sheets/askers.ts'
import type { TypedLines } from './typed-lines.ts'

const COLUMNS = 80

/** Asks everything line by line, for terminals that can do nothing else. */
export function createLineAskers(lines: TypedLines, print: (text: string) => void): Askers {
  async function approveOne(
    request: ApprovalRequest,
    number: number,
    count: number,
    { signal, grantSeconds }: Pick<Asking, 'signal' | 'grantSeconds'>,
  ): Promise<ApprovalAnswer | 'later' | 'cancel'> {
    // High risk has to be seen in full, so it is shown in full.
    const canvas = { columns: COLUMNS, colour: (_name: string, text: string) => text }
    print(drawRequest(request, number, count, canvas, request.risk === 'High').text.trimEnd())
    const [narrow] = request.scopes
    const more = narrow === undefined ? '' : `, t = for ${grantSeconds} seconds, s = always`
    if (narrow !== undefined) print(`t and s mean: ${narrow.sentence}`)
    for (;;) {
      const line = await lines.next(
        `o = once${more}, d WORDS = deny, l = later, c = cancel, f = show in full\n? `,
        signal,
      )
      if (line === null) return 'later'
      const [, key = '', words = ''] = /^\s*(\S)(?:\s+(.*))?\s*$/.exec(line) ?? []
      if (key === 'o') return 'once'
      if (key === 't' && narrow !== undefined)
        return { answer: 'duration', seconds: grantSeconds, scope: narrow.scope }
      if (key === 's' && narrow !== undefined) return { answer: 'scope', scope: narrow.scope }
      if (key === 'd') return words === '' ? 'deny' : { answer: 'deny', say: words }
      if (key === 'l') return 'later'
      if (key === 'c') return 'cancel'
      if (key === 'f') print(drawRequest(request, number, count, canvas, true).text.trimEnd())
      else print('That is none of the choices.')
    }
  }

  return {
    async approval(requests, asking, cancel) {
      await lines.settle()
      const answers: ApprovalAnswer[] = []
      for (const [index, request] of requests.entries()) {
        if (asking.signal.aborted) return 'later'
        const answer = await approveOne(request, index + 1, requests.length, asking)
        if (answer === 'later') return 'later'
        if (answer === 'cancel') {
          cancel()
          return 'later'
        }
        answers.push(answer)
      }
      return answers
    },
    async confirmation({ title, rows }) {
      await lines.settle()
      for (const row of [title, ...rows]) print(row)
      return /^y(es)?$/i.test(((await lines.next('y or n? ')) ?? '').trim())
    },
    async recovery({ text, calls }) {
      await lines.settle()
      print('Something was interrupted here. Nothing is run again; this is what the evidence says:')
      if (text !== null) print(`The model had said: ${text}`)
      for (const { name, status, evidence } of calls)
        print(`${status.replaceAll('_', ' ')}: ${name}: ${evidence}`)
      const line = await lines.next(
        'r = resume with what finished, d = discard all of it, anything else leaves it\n? ',
      )
      if (line?.trim() === 'r') return 'resume'
      return line?.trim() === 'd' ? 'discard' : null
    },
  }
}
