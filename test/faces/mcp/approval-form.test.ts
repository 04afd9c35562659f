import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import { formFor, readReply } from '../../../src/faces/mcp/approval-form.ts'
import { polluted } from '../../harness/polluted.ts'
import { requestOf } from '../../harness/sample-request.ts'

const START = { digest: 'd', words: ['npm', 'test'] }
const MIDDLE = 'node steal.js'
const command = (words: number): string =>
  `echo start; ${'true; '.repeat(words)}${MIDDLE}; ${'true; '.repeat(words)}`

function messageFor(text: string, more: Parameters<typeof requestOf>[0] = {}): string {
  const call = { id: 'c1', name: 'run_shell', args: { cmd: ['sh', '-c', text] } }
  return formFor(requestOf({ call, summary: 'Run: x…y', ...more }), 600).message
}

describe('the form for a question', () => {
  it('shows a long command whole', () => {
    const message = messageFor(command(300))
    expect(message.replaceAll(/\n {2}[│┊] /g, '')).toContain(MIDDLE)
    expect(message).not.toContain('This is cut')
  })

  it('shows the command of a landing beside its diff', () => {
    const diff = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n'
    const message = messageFor(command(100), { diff, kind: 'landing' })
    expect(message.replaceAll(/\n {2}[│┊] /g, '')).toContain(MIDDLE)
    expect(message).toContain('+new')
  })

  it('names what has all of it if it is too long for a form', () => {
    const message = messageFor(command(30_000))
    expect(message).toMatch(/\d+ rows left out/)
    expect(message).toContain('This is cut; tongs pending --json has all of it (')
    expect(message.length).toBeLessThan(16_384)
  })

  it('is answered by what the client sent, and by nothing that its answer inherits', () => {
    const request = requestOf()
    const answer = 'yes, this once'
    const accepted = (content: object) =>
      readReply({ action: 'accept', content: { ...content } }, request, 600)
    expect(accepted({ answer })).toEqual({ answer: 'once' })
    expect(polluted({ answer }, () => accepted({}))).toBeNull()
    const reply = {} as Parameters<typeof readReply>[0]
    expect(polluted({ action: 'accept', content: { answer } }, () => readReply(reply, request, 600))).toBe(
      'later',
    )
  })

  it('takes no yes to a question that is damaged, and says that it is', () => {
    const request = requestOf({ damaged: 'its seal is not valid' })
    const { message, requestedSchema } = formFor(request, 600)
    expect(message).toContain('This question is damaged. It can only be denied.')
    expect(requestedSchema.properties['answer']?.enum).toEqual(['no', 'decide later'])
    const reply = { action: 'accept', content: { answer: 'yes, this once' } } as const
    expect(readReply(reply, request, 600)).toBeNull()
    expect(readReply(reply, requestOf(), 600)).toEqual({ answer: 'once' })
  })

  it('offers a yes for a time only if one of the scopes is the whole tool, and with that scope', () => {
    const beyond = [{ scope: { kind: 'arguments', digest: 'd' }, sentence: 'the same arguments' }] as const
    const whole = { scope: { kind: 'tool', start: START }, sentence: 'all calls' } as const
    const answersOf = (request: ApprovalRequest) =>
      formFor(request, 600).requestedSchema.properties['answer']?.enum
    const timed = 'yes, and all calls of this tool for 600 seconds'
    expect(answersOf(requestOf({ scopes: beyond }))).not.toContain(timed)
    const request = requestOf({ scopes: [...beyond, whole] })
    expect(answersOf(request)).toContain(timed)
    expect(readReply({ action: 'accept', content: { answer: timed } }, request, 600)).toEqual({
      answer: 'duration',
      seconds: 600,
      scope: whole.scope,
    })
  })
})
